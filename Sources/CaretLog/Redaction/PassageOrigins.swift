package import CaretCore

/// Finds which changes inserted the letters of a passage, letter by letter.
///
/// A letter belongs to the passage if it was part of an occurrence in any revision. So a passage that was
/// typed one letter at a time is removed from the revisions that contain only its first letters, too.
///
/// Add the changes backward, from the newest to the oldest.
package struct PassageOrigins: Sendable {
    private var matches: [PassageSearch.Match]
    private let length: Int
    /// The letters of the passage in the text of the current revision: disjoint ranges of UTF-8, ascending.
    private var letters: [Range<Int>] = []
    /// For each revision that inserted such letters: for each of its edits, ranges in the inserted text.
    package private(set) var inserted: [Revision: [[Range<Int>]]] = [:]
    /// How many ranges were moved over a change so far.
    package private(set) var work = 0

    package init(_ search: PassageSearch) {
        matches = search.matches
        length = search.passage.bytes.count
    }

    /// The change that made this revision.
    package mutating func add(_ logged: LoggedChange, at revision: Revision) {
        addMatches(at: revision)
        if letters.isEmpty { return }
        work += letters.count
        var (spans, before) = (logged.edits.map { _ in [Range<Int>]() }, [Range<Int>]())
        // `shift` is the growth of the text by the edits before `index`.
        var (index, shift) = (0, 0)
        for range in letters {
            var low = range.lowerBound
            while low < range.upperBound {
                guard index < logged.edits.count else {
                    PassageOrigins.join(low - shift..<range.upperBound - shift, to: &before)
                    break
                }
                let edit = logged.edits[index]
                let start = edit.start.utf8 + shift
                let end = start + edit.edit.inserted.utf8
                if end <= low {
                    (index, shift) = (index + 1, shift + edit.growth)
                } else if low < start {
                    let high = min(range.upperBound, start)
                    PassageOrigins.join(low - shift..<high - shift, to: &before)
                    low = high
                } else {
                    let high = min(range.upperBound, end)
                    PassageOrigins.join(low - start..<high - start, to: &spans[index])
                    low = high
                }
            }
        }
        letters = before
        if spans.contains(where: { !$0.isEmpty }) { inserted[revision] = spans }
    }

    /// The letters of the passage in the text before the first change. Call it after all changes were added.
    package mutating func letters(atStart start: Revision) -> [Range<Int>] {
        addMatches(at: start)
        return letters
    }

    private mutating func addMatches(at revision: Revision) {
        var new: [Range<Int>] = []
        while let last = matches.last, last.revision == revision {
            new.append(last.offset..<last.offset + length)
            matches.removeLast()
        }
        if new.isEmpty { return }
        let all = (letters + new).sorted { $0.lowerBound < $1.lowerBound }
        letters = []
        for range in all { PassageOrigins.join(range, to: &letters) }
    }

    /// Adds a range that does not begin before the last one. Joins the two if they touch.
    static func join(_ range: Range<Int>, to ranges: inout [Range<Int>]) {
        guard let last = ranges.last, range.lowerBound <= last.upperBound else { return ranges.append(range) }
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
}
