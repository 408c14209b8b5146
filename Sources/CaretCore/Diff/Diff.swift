/// A small and readable change from `old` to `new`. The rules are in docs/protocol/transforms.md.
///
/// Compares by lines first: an unchanged line that is not blank separates edits. Then compares by scalars
/// inside each hunk of changed lines. No edit begins or ends inside a grapheme. The time is at most
/// proportional to both lengths: if a search exceeds its limit, the rest of its hunk becomes one edit.
public func diff(from old: TextBuffer, to new: TextBuffer) -> Change {
    UnequalLines(of: old, new).map { diff(from: old, to: new, in: $0) } ?? Change()
}

/// As `diff(from:to:)`. The lines are those of these two texts.
package func diff(from old: TextBuffer, to new: TextBuffer, in lines: UnequalLines) -> Change {
    let oldBytes = old.bytes(in: lines.old)
    let newBytes = new.bytes(in: lines.new)
    // A line begins here, so this conversion cannot fail.
    let offset = (try? old.length(before: lines.old.lowerBound, in: .utf8).utf16) ?? 0
    return oldBytes.withUnsafeBufferPointer { old in
        newBytes.withUnsafeBufferPointer { new in
            var budget = SearchBudget(bytes: old.count + new.count)
            var edits: [Replacement] = []
            for hunk in changedLines(from: old, to: new, &budget) {
                edits.append(contentsOf: hunk.refined(from: old, to: new, &budget))
            }
            return makeChange(edits, from: old, to: new, startingAt: offset)
        }
    }
}

/// The whole lines between the equal start and the equal end of two texts, as ranges of bytes. To find them
/// takes little time, and their length bounds the time of the diff.
package struct UnequalLines: Equatable, Sendable {
    package let old: Range<Int>
    package let new: Range<Int>

    /// Nil if the texts are equal.
    package init?(of old: TextBuffer, _ new: TextBuffer) {
        let head = old.commonPrefixLength(with: new)
        if head == old.length.utf8 && head == new.length.utf8 { return nil }
        let tail = old.commonSuffixLength(with: new, limit: min(old.length.utf8, new.length.utf8) - head)
        // Lines are compared first, and graphemes never cross a line break.
        let start = old.lineStart(atOrBefore: head)
        let end = old.lineEnd(atOrAfter: old.length.utf8 - tail)
        self.old = start..<end
        self.new = start..<new.length.utf8 - (old.length.utf8 - end)
    }
}

/// A range of the old bytes and the range of new bytes that replaces it.
struct Replacement {
    var old: Range<Int>
    var new: Range<Int>
}

private func makeChange(
    _ replacements: [Replacement], from old: UTF8Bytes, to new: UTF8Bytes, startingAt offset: Int
) -> Change {
    var normal = NormalForm()
    var (position, byte) = (offset, 0)
    for replacement in replacements {
        let start = position + UTF8Bytes(rebasing: old[byte..<replacement.old.lowerBound]).textLength.utf16
        let end = start + UTF8Bytes(rebasing: old[replacement.old]).textLength.utf16
        let inserted = UTF8Bytes(rebasing: new[replacement.new])
        normal.append(from: start, to: end, inserted.string, inserted.textLength)
        (position, byte) = (end, replacement.old.upperBound)
    }
    return normal.change
}

extension TextBuffer {
    /// The start of the line that contains the byte at `index`. `index` may also be the end of the text.
    fileprivate func lineStart(atOrBefore index: Int) -> Int {
        var (low, high) = (index, index)
        while high > 0 {
            low = max(0, high - max(128, index - low))
            if let lineBreak = bytes(in: low..<high).lastIndex(of: lineFeed) { return low + lineBreak + 1 }
            high = low
        }
        return 0
    }

    /// The index after the next line break at or after `index`; the end of the text if no line break follows.
    fileprivate func lineEnd(atOrAfter index: Int) -> Int {
        var (low, high) = (index, index)
        while low < length.utf8 {
            high = min(length.utf8, low + max(128, high - index))
            if let lineBreak = bytes(in: low..<high).firstIndex(of: lineFeed) { return low + lineBreak + 1 }
            low = high
        }
        return length.utf8
    }
}
