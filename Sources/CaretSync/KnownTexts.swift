package import CaretCore

/// The texts that a file has had, and the rule that finds the one that a saved text was made from.
///
/// An editor reads a file, and may save it hours later. Meanwhile changes from elsewhere came into the file,
/// which the editor has not read. Such a save must be merged from the text that the editor had read.
/// Otherwise it would remove those changes. The time of the save does not show that text; only the texts do.
/// `docs/sync.md` has the rule with examples.
package struct KnownTexts: Equatable, Sendable {
    package struct Known: Equatable, Sendable {
        let text: String
        /// It was saved here, by an editor. The others came from elsewhere.
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
    /// Its earlier texts, oldest first.
    let older: [Known]

    package init(seen: String, older: [Known]) {
        self.seen = seen
        self.older = older
    }

    /// The text that `saved` was made from.
    ///
    /// It is `seen`, unless `saved` shows nothing of what has changed since an older text. Of several such
    /// older texts the nearest one is chosen. A text that equals an older one exactly reverts later changes
    /// on purpose, with one exception: an editor that saved another text in between, and has not read what
    /// came after it, has undone only its own changes.
    package func base(of saved: String) throws(TextError) -> String {
        if older.isEmpty { return seen }
        let (new, latest) = (try Text(saved), try Text(seen))
        let removedSinceSeen = RemovedRanges(diff(from: latest, to: new))
        var nearest: (text: String, cost: Int)?
        var nearestOwn: (text: String, cost: Int)?
        for known in older.reversed() {
            if known.text.isSame(as: saved) { return nearestOwn?.text ?? seen }
            let old = try Text(known.text)
            let ownChange = diff(from: old, to: new)
            let missed = diff(from: old, to: latest)
            guard RemoteChange(missed).isUnseen(removedSinceSeen, RemovedRanges(ownChange)) else { continue }
            let cost = ownChange.cost
            if nearest.map({ cost < $0.cost }) ?? true { nearest = (known.text, cost) }
            if known.isOwn, nearestOwn.map({ cost < $0.cost }) ?? true { nearestOwn = (known.text, cost) }
        }
        return nearest?.text ?? seen
    }
}

/// A change from elsewhere, and how much of it a saved text contains.
private struct RemoteChange {
    /// A part of an inserted text that is at least this long, in UTF-16 code units, is not there by accident.
    private static let tellingRun = 32
    /// A whole inserted line with at least this many nonblank characters is not there by accident either.
    private static let tellingLine = 8

    private let edits: [Edit]

    init(_ change: Change) { edits = change.edits }

    /// Whether a saved text contains nothing of the change, apart from letters that two texts share by
    /// accident.
    ///
    /// `removed` are the ranges of the text after the change that the saved text lacks, `removedBefore` those
    /// of the text before the change.
    func isUnseen(_ removed: RemovedRanges, _ removedBefore: RemovedRanges) -> Bool {
        var (inserted, kept, replaced, gone, shift) = (0, 0, 0, 0, 0)
        for edit in edits {
            let old = edit.range.lowerBound.value..<edit.range.upperBound.value
            let start = old.lowerBound + shift
            let new = start..<start + edit.text.utf16.count
            shift += new.count - old.count
            if isTelling(edit.text, from: start, removed) { return false }
            inserted += new.count
            kept += removed.remaining(of: new)
            replaced += old.count
            gone += old.count - removedBefore.remaining(of: old)
        }
        if inserted + replaced == 0 { return false }
        let showsInserted = inserted > 0 && kept * 4 >= inserted * 3
        return !showsInserted && gone * 4 < inserted + replaced
    }

    /// Whether the rest of an inserted text cannot be there by accident.
    private func isTelling(_ text: String, from start: Int, _ removed: RemovedRanges) -> Bool {
        let end = start + text.utf16.count
        if removed.longestRun(in: start..<end) >= RemoteChange.tellingRun { return true }
        var offset = start
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let next = offset + line.utf16.count
            let isLong = line.unicodeScalars.count { !$0.properties.isWhitespace } >= RemoteChange.tellingLine
            if isLong, removed.remaining(of: offset..<next) == next - offset { return true }
            offset = next + 1
        }
        return false
    }
}

/// The parts of a text that a change removes, ascending, in UTF-16 code units.
private struct RemovedRanges {
    private let ranges: [Range<Int>]

    init(_ change: Change) {
        ranges = change.edits.map { $0.range.lowerBound.value..<$0.range.upperBound.value }
    }

    /// How many units of a range remain.
    func remaining(of range: Range<Int>) -> Int {
        within(range).reduce(range.count) { $0 - $1.clamped(to: range).count }
    }

    /// The longest contiguous part of a range that remains.
    func longestRun(in range: Range<Int>) -> Int {
        var (longest, start) = (0, range.lowerBound)
        for removed in within(range) {
            longest = max(longest, removed.lowerBound - start)
            start = removed.upperBound
        }
        return max(longest, range.upperBound - start)
    }

    /// The ranges that overlap a range. The first is found by binary search, because there may be many.
    private func within(_ range: Range<Int>) -> ArraySlice<Range<Int>> {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return ranges[low...].prefix { $0.lowerBound < range.upperBound }
    }
}

extension Change {
    /// The distance between two texts, in UTF-16 code units. Removals count more: people add more than they
    /// remove, and a line that two people wrote alike must not count as a changed one.
    fileprivate var cost: Int {
        edits.reduce(0) { $0 + 4 * ($1.range.upperBound - $1.range.lowerBound) + $1.text.utf16.count }
    }
}
