package import CaretCore

/// Merging whole texts.
package enum TextMerge {
    /// `other` with the changes from `base` to `own`.
    package static func merged(
        base: String, own: String, other: String
    ) throws(TextError) -> String {
        if base.isSame(as: other) { return own }
        // A change that both have made is made once.
        if base.isSame(as: own) || own.isSame(as: other) { return other }
        let (start, mine, theirs) = (try Text(base), try Text(own), try Text(other))
        let change = diff(from: start, to: mine)
            .rebased(over: diff(from: start, to: theirs), tie: .otherFirst)
        do throws(ChangeError) {
            return try theirs.applying(change).string
        } catch {
            preconditionFailure("a change that was rebased does not fit: \(error)")
        }
    }

    /// The lines that both texts have, in order. They serve as the common origin of two unrelated texts, so
    /// that a merge keeps every line of each.
    static func common(_ left: String, _ right: String) throws(TextError) -> String {
        let (old, new) = (try Text(left), try Text(right))
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
    /// Compares bytes. Canonically equivalent texts are different.
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether it is the beginning of the other text, as if its writer had only begun.
    func isBeginning(of other: String) -> Bool {
        utf8.count < other.utf8.count && other.utf8.starts(with: utf8)
    }
}

extension LineTable {
    /// Some consecutive lines.
    fileprivate func text(lines: Range<Int>) -> String {
        lines.isEmpty ? "" : text(range(lines.lowerBound).lowerBound..<range(lines.upperBound - 1).upperBound)
    }
}
