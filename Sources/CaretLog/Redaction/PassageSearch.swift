package import CaretCore

/// Finds a passage in the text of every revision of a history.
///
/// Add the changes in their order. A change is searched only near its edits, so the cost does not depend on
/// the length of the text.
package struct PassageSearch: Sendable {
    /// An occurrence that a change made.
    struct Match: Equatable, Sendable {
        let revision: Revision
        /// The bytes of UTF-8 before it in the text of its revision.
        let offset: Int
    }

    package let passage: Passage
    package private(set) var head: Snapshot
    /// Every occurrence at the revision where it appeared, in the order of revisions. An occurrence may be
    /// listed again at a later revision.
    private(set) var matches: [Match] = []
    /// How often the text at the head contains the passage.
    package private(set) var countAtHead = 0
    /// How many revisions contain the passage.
    package private(set) var revisions = 0
    /// The first and the last revision that contain the passage; nil if none does.
    package private(set) var found: ClosedRange<Revision>?

    /// `start` is the text before the first change.
    package init(_ passage: Passage, in start: Snapshot) {
        (self.passage, head) = (passage, start)
        let offsets = passage.matches(in: start.text.bytes(in: 0..<start.text.length.utf8))
        matches = offsets.map { Match(revision: start.revision, offset: $0) }
        countAtHead = offsets.count
        noteRevision()
    }

    package mutating func add(_ logged: LoggedChange) throws(ChangeError) {
        let (old, revision) = (head.text, head.revision.next)
        let text = try old.applying(logged.change)
        let reach = passage.bytes.count - 1
        var (edits, shift) = (logged.edits[...], 0)
        while let first = edits.popFirst() {
            var (end, growth) = (first.end, first.growth)
            // Edits whose surroundings overlap are searched together, so no match is counted twice.
            while let next = edits.first, next.start.utf8 - end < 2 * reach {
                edits.removeFirst()
                (end, growth) = (next.end, growth + next.growth)
            }
            let low = max(0, first.start.utf8 - reach)
            let high = min(old.length.utf8, end + reach)
            let made = passage.matches(in: text.bytes(in: low + shift..<high + shift + growth))
            countAtHead += made.count - passage.matches(in: old.bytes(in: low..<high)).count
            for offset in made { matches.append(Match(revision: revision, offset: low + shift + offset)) }
            shift += growth
        }
        head = Snapshot(revision: revision, text: text)
        noteRevision()
    }

    private mutating func noteRevision() {
        if countAtHead == 0 { return }
        revisions += 1
        found = (found?.lowerBound ?? head.revision)...head.revision
    }
}

extension LoggedEdit {
    /// The bytes of UTF-8 before the end of the replaced range.
    var end: Int { start.utf8 + removed.utf8 }
    /// By how many bytes of UTF-8 the text grows.
    var growth: Int { edit.inserted.utf8 - removed.utf8 }
}
