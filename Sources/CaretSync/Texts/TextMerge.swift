package import CaretCore

/// Merging whole texts.
package enum TextMerge {
    /// Finds the edits that turn `base` into `own`, and applies these edits to `other`. An edit that both sides
    /// made is applied once.
    package static func merged(
        base: String, own: String, other: String
    ) throws(TextError) -> String {
        if base.isSame(as: other) { return own }
        if base.isSame(as: own) || own.isSame(as: other) { return other }
        let (start, mine, theirs) = (try TextBuffer(base), try TextBuffer(own), try TextBuffer(other))
        let their = diff(from: start, to: theirs)
        let known = Dictionary(grouping: their.edits) { $0.range.lowerBound }
        do throws(ChangeError) {
            let own = try Change(
                diff(from: start, to: mine).edits.filter { edit in
                    known[edit.range.lowerBound]?.contains {
                        $0.range == edit.range && $0.text.isSame(as: edit.text)
                    } != true
                })
            return try theirs.applying(own.rebased(over: their, tie: .otherFirst)).string
        } catch {
            preconditionFailure("a rebased change does not fit the text: \(error)")
        }
    }

    /// The lines that two unrelated texts have in common, in order. If they are used as the base of a merge,
    /// the merge keeps every line of both texts.
    static func common(_ left: String, _ right: String) throws(TextError) -> String {
        let (old, new) = (try TextBuffer(left), try TextBuffer(right))
        let lines = try LineDiff(from: old, to: new, by: diff(from: old, to: new))
        var (kept, next) = ("", 0)
        for block in lines.blocks {
            kept += lines.old.text(lines: next..<block.old.lowerBound)
            next = block.old.upperBound
        }
        return kept + lines.old.text(lines: next..<lines.old.count)
    }
}

extension String {
    /// Compares bytes. Canonically equivalent texts with different bytes are not the same.
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether this text is the beginning of the other text. If so, a program may still be writing the rest.
    func isBeginning(of other: String) -> Bool {
        utf8.count < other.utf8.count && other.utf8.starts(with: utf8)
    }
}

extension LineTable {
    /// The text of consecutive lines.
    fileprivate func text(lines: Range<Int>) -> String {
        lines.isEmpty ? "" : text(range(lines.lowerBound).lowerBound..<range(lines.upperBound - 1).upperBound)
    }
}
