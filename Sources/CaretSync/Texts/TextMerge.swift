package import CaretCore

/// Merging whole texts.
package enum TextMerge {
    /// Finds the changes that turn `base` into `own`, and applies these changes to `other`.
    package static func merged(
        base: String, own: String, other: String
    ) throws(TextError) -> String {
        if base.isSame(as: other) { return own }
        // If both sides made the same change, it is applied once.
        if base.isSame(as: own) || own.isSame(as: other) { return other }
        let (start, mine, theirs) = (try TextBuffer(base), try TextBuffer(own), try TextBuffer(other))
        let change = diff(from: start, to: mine)
            .rebased(over: diff(from: start, to: theirs), tie: .otherFirst)
        do throws(ChangeError) {
            return try theirs.applying(change).string
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
