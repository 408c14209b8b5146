package import CaretCore

extension DocumentEntry {
    /// The largest stored number, positive or negative. Numbers in a browser cannot represent all larger
    /// integers.
    package static let farthest: Int64 = 1 << 53
    /// The longest text that is stored, in bytes.
    package static let longestText = 128 << 20

    /// The length of the text after these changes, applied in order; nil if the lengths alone show that a
    /// change cannot fit.
    package func length(after changes: [PushedChange]) -> TextLength? {
        var length = length
        for pushed in changes {
            guard let next = pushed.logged.length(after: length) else { return nil }
            length = next
        }
        return length
    }
}

extension LoggedChange {
    fileprivate func length(after length: TextLength) -> TextLength? {
        let range = -DocumentEntry.farthest...DocumentEntry.farthest
        guard range.contains(seq), range.contains(time) else { return nil }
        var passed = TextLength.zero
        for edit in edits {
            let end = edit.start + edit.removed
            guard edit.start.isPlausible, edit.removed.isPlausible, passed.isWithin(edit.start),
                end.isWithin(length)
            else { return nil }
            passed = end
        }
        let result = length + growth
        return result.utf8 <= DocumentEntry.longestText ? result : nil
    }
}

extension TextLength {
    /// Whether a piece of text can have these lengths: one to three bytes per UTF-16 unit, one or two units
    /// per scalar.
    fileprivate var isPlausible: Bool {
        let range = 0...(DocumentEntry.longestText)
        guard range.contains(utf8), range.contains(utf16), range.contains(scalars) else { return false }
        return utf16 <= utf8 && utf8 <= 3 * utf16 && scalars <= utf16 && utf16 <= 2 * scalars
    }

    fileprivate func isWithin(_ other: TextLength) -> Bool {
        utf8 <= other.utf8 && utf16 <= other.utf16 && scalars <= other.scalars
    }
}
