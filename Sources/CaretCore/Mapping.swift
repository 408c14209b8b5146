extension UnitOffset<UTF16Unit> {
    /// Where a caret at this offset stands after `change`: behind what was inserted at it or in place of text
    /// around it.
    public func mapped(through change: Change) -> Offset {
        var shift = 0
        for edit in change.edits {
            if edit.start > value { break }
            shift += edit.inserted.utf16 - (Swift.min(edit.end, value) - edit.start)
        }
        return self + shift
    }

    /// Where the end of a selection stands after `change`: before what was inserted at it or replaces it.
    fileprivate func mappedAsEnd(through change: Change) -> Offset {
        var shift = 0
        for edit in change.edits {
            if edit.start >= value { break }
            shift += edit.end < value ? edit.growth : edit.start - value
        }
        return self + shift
    }
}

extension Selection {
    /// What is selected after `change`: a caret by the rule for carets; else the text that was selected, without
    /// what was inserted at its edges or replaces them. The direction is kept.
    public func mapped(through change: Change) -> Selection {
        let start = start.mapped(through: change)
        if isCaret { return Selection(caret: start) }
        let end = max(start, end.mappedAsEnd(through: change))
        return anchor < head ? Selection(anchor: start, head: end) : Selection(anchor: end, head: start)
    }
}
