extension UnitOffset<UTF16Unit> {
    /// Where a caret at this offset is after `change`. The caret ends up after text that was inserted at the
    /// caret, or that replaced the text around it.
    public func mapped(through change: Change) -> Offset {
        var shift = 0
        for edit in change.edits {
            if edit.start > value { break }
            shift += edit.inserted.utf16 - (Swift.min(edit.end, value) - edit.start)
        }
        return self + shift
    }

    /// Where the end of a selection is after `change`. The end moves before text that was inserted at the
    /// end, or that replaced the text around it.
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
    /// The selection after `change`. A caret moves by the rule for carets. A larger selection keeps the
    /// selected text. Text that was inserted at its ends, or that replaced them, stays outside. The direction
    /// is kept.
    public func mapped(through change: Change) -> Selection {
        let start = start.mapped(through: change)
        if isCaret { return Selection(caret: start) }
        let end = max(start, end.mappedAsEnd(through: change))
        return anchor < head ? Selection(anchor: start, head: end) : Selection(anchor: end, head: start)
    }
}
