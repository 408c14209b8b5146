package import CaretCore

/// The known texts of a file, and the rule that finds the text from which an editor made a saved text.
///
/// An editor reads a file, and may save it hours later. Meanwhile the sync may have written changes of other
/// clients into the file. The editor has not read these changes. So the saved text must be merged as a change
/// to the text that the editor had read. Otherwise the save would remove the changes of others. The time of
/// the save does not show which text the editor had read. Only a comparison of the texts shows this.
/// `docs/sync.md` has the rule with examples.
package struct KnownTexts: Equatable, Sendable {
    package struct Known: Equatable, Sendable {
        let text: String
        /// True if an editor saved the text on this machine. False if the sync wrote the text.
        let isOwn: Bool

        package init(text: String, isOwn: Bool) {
            self.text = text
            self.isOwn = isOwn
        }

        package static func == (left: Known, right: Known) -> Bool {
            left.isOwn == right.isOwn && left.text.isSame(as: right.text)
        }
    }

    /// The last known text of the file.
    let seen: String
    /// True if an editor saved `seen` on this machine. False if the sync wrote `seen`.
    let isSeenOwn: Bool
    /// The earlier texts of the file, the oldest first: each text that the sync replaced, and each text of the
    /// sync that an editor replaced.
    let older: [Known]

    package init(seen: String, isSeenOwn: Bool = false, older: [Known]) {
        self.seen = seen
        self.isSeenOwn = isSeenOwn
        self.older = older
    }

    /// Finds the text from which `saved` was made.
    ///
    /// Usually the result is `seen`. But if `saved` contains nothing of the changes that were made since an
    /// older text, and the sync wrote some of them, the result is that older text. If this is true for several
    /// older texts, the result is the one most similar to `saved`.
    ///
    /// If `saved` equals an older text, the user has reverted the later changes on purpose, and the result is
    /// `seen`. There is one exception: after the older text, the editor saved another text, and has not read
    /// the changes that others made after that save. Then the user has reverted only their own changes, and
    /// the result is the text of that save. So the changes of others stay.
    package func base(of saved: String) throws(TextError) -> String {
        if older.isEmpty { return seen }
        let (new, latest) = (try TextBuffer(saved), try TextBuffer(seen))
        var nearest: (text: String, cost: Int)?
        var nearestOwn: (text: String, cost: Int)?
        // The sync's last text before the next own text. Nil after the newest own text.
        var written: TextBuffer?
        var isReplacedByEditor = isSeenOwn
        for known in older.reversed() {
            if known.text.isSame(as: saved) { return nearestOwn?.text ?? seen }
            let old = try TextBuffer(known.text)
            if isReplacedByEditor, !known.isOwn {
                (written, isReplacedByEditor) = (old, false)
                continue
            }
            if RemoteChange(from: old, to: latest).isUnseen(in: new),
                written.map({ RemoteChange(from: old, to: $0).isMissed(in: new, latest) }) ?? true
            {
                let cost = diff(from: old, to: new).cost
                if nearest.map({ cost < $0.cost }) ?? true { nearest = (known.text, cost) }
                if known.isOwn, nearestOwn.map({ cost < $0.cost }) ?? true { nearestOwn = (known.text, cost) }
            }
            if known.isOwn { (written, isReplacedByEditor) = (nil, true) }
        }
        return nearest?.text ?? seen
    }
}

extension KnownTexts {
    /// Whether a change only inserted text, and `text` contains all of it, which is no accident.
    static func hasInsertions(
        from before: String, to after: String, in text: String
    ) throws(TextError) -> Bool {
        RemoteChange(from: try TextBuffer(before), to: try TextBuffer(after))
            .isContained(in: try TextBuffer(text))
    }
}

/// A change by other clients. It finds out whether a saved text contains the change.
private struct RemoteChange {
    /// If a saved text contains a part of an inserted text, and the part has at least this many UTF-16 code
    /// units, the two texts do not have this part in common by accident.
    private static let significantRun = 32
    /// If a saved text contains a whole inserted line with at least this many nonblank characters, this is no
    /// accident either.
    private static let significantLine = 8

    private let before: TextBuffer
    private let after: TextBuffer
    private let edits: [Edit]

    init(from before: TextBuffer, to after: TextBuffer) {
        (self.before, self.after) = (before, after)
        edits = diff(from: before, to: after).edits
    }

    /// Whether the change is in the latest text, but a saved text contains nothing of it.
    func isMissed(in saved: TextBuffer, _ latest: TextBuffer) -> Bool {
        isUnseen(in: saved) && !isUnseen(in: latest)
    }

    /// Whether a text contains nothing of the change, except letters that two texts have in common by
    /// accident.
    func isUnseen(in text: TextBuffer) -> Bool {
        // The ranges that are in the text after or before the change, but not in `text`.
        let removed = RemovedRanges(diff(from: after, to: text))
        let removedBefore = RemovedRanges(diff(from: before, to: text))
        var (inserted, kept, replaced, gone, shift) = (0, 0, 0, 0, 0)
        for edit in edits {
            let old = edit.range.lowerBound.value..<edit.range.upperBound.value
            let start = old.lowerBound + shift
            let new = start..<start + edit.text.utf16.count
            shift += new.count - old.count
            if hasSignificantPart(edit.text, from: start, removed) { return false }
            inserted += new.count
            kept += removed.remaining(of: new)
            replaced += old.count
            gone += old.count - removedBefore.remaining(of: old)
        }
        if inserted + replaced == 0 { return false }
        let showsInserted = inserted > 0 && kept * 4 >= inserted * 3
        return !showsInserted && gone * 4 < inserted + replaced
    }

    func isContained(in text: TextBuffer) -> Bool {
        let removed = RemovedRanges(diff(from: after, to: text))
        var shift = 0
        return edits.allSatisfy { edit in
            let start = edit.range.lowerBound.value + shift
            let new = start..<start + edit.text.utf16.count
            shift += new.count
            return edit.range.isEmpty && removed.remaining(of: new) == new.count
                && hasSignificantPart(edit.text, from: start, removed)
        }
    }

    /// Whether a text contains so much of an inserted text that this is no accident.
    private func hasSignificantPart(_ text: String, from start: Int, _ removed: RemovedRanges) -> Bool {
        let end = start + text.utf16.count
        if removed.longestRun(in: start..<end) >= RemoteChange.significantRun { return true }
        var offset = start
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let next = offset + line.utf16.count
            let isLong =
                line.unicodeScalars.count { !$0.properties.isWhitespace } >= RemoteChange.significantLine
            if isLong, removed.remaining(of: offset..<next) == next - offset { return true }
            offset = next + 1
        }
        return false
    }
}

/// The ranges of a text that a change removes, in ascending order and in UTF-16 code units.
private struct RemovedRanges {
    private let ranges: [Range<Int>]

    init(_ change: Change) {
        ranges = change.edits.map { $0.range.lowerBound.value..<$0.range.upperBound.value }
    }

    /// How many code units of `range` the change does not remove.
    func remaining(of range: Range<Int>) -> Int {
        overlapping(range).reduce(range.count) { $0 - $1.clamped(to: range).count }
    }

    /// The length of the longest part of `range` in which the change removes nothing.
    func longestRun(in range: Range<Int>) -> Int {
        var (longest, start) = (0, range.lowerBound)
        for removed in overlapping(range) {
            longest = max(longest, removed.lowerBound - start)
            start = removed.upperBound
        }
        return max(longest, range.upperBound - start)
    }

    /// The removed ranges that overlap `range`. The first one is found by binary search, because there may be
    /// many.
    private func overlapping(_ range: Range<Int>) -> ArraySlice<Range<Int>> {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return ranges[low...].prefix { $0.lowerBound < range.upperBound }
    }
}

extension Change {
    /// The distance between two texts, in UTF-16 code units. A removed unit counts four times for two
    /// reasons: people insert more than they remove, and if two people wrote the same line, that line must
    /// not count as changed.
    fileprivate var cost: Int {
        edits.reduce(0) { $0 + 4 * ($1.range.upperBound - $1.range.lowerBound) + $1.text.utf16.count }
    }
}
