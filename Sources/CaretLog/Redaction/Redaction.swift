package import CaretCore

/// An order to remove a passage from a document's whole history.
package struct Redaction: Equatable, Sendable {
    package let passage: Passage
    /// Only reports what would change.
    package let isDryRun: Bool

    package init(_ passage: Passage, isDryRun: Bool = false) {
        (self.passage, self.isDryRun) = (passage, isDryRun)
    }
}

/// What a redaction has changed, or would change.
package struct RedactionReport: Equatable, Sendable {
    /// A user who wrote a part of the passage.
    package struct Author: Equatable, Sendable {
        package let user: ByteString
        /// How many of the user's revisions change.
        package var revisions = 0
        /// The first and the last of these revisions, and their times in milliseconds.
        package var first: Revision
        package var last: Revision
        package var firstTime: Int64
        package var lastTime: Int64
    }

    /// The epoch after the redaction: a new one if the history was changed.
    package var epoch: Epoch
    package var head: Revision
    /// How many revisions contain the passage, and the first and the last of them.
    package let containing: Int
    package let found: ClosedRange<Revision>?
    /// How often the newest text contains the passage.
    package let countAtHead: Int
    /// How many notes contain it.
    package let notes: Int
    /// How many revisions inserted a part of the passage. Their inserted text changes.
    package let changed: Int
    /// Who wrote the passage, in the order of their first revisions.
    package let authors: [Author]
    /// The names of the backups in the data folder. They were made before, so they may contain the passage.
    package var backups: [String] = []
    /// Whether the passage is also erased from the unused parts of the store's files.
    package var isErased = false

    /// Whether the redaction changes anything, unless it is a dry run.
    package var changes: Bool { containing > 0 || notes > 0 }

    package init(
        _ search: PassageSearch, notes: Int, authors: [Author], changed: Int, epoch: Epoch
    ) {
        (head, self.epoch) = (search.head.revision, epoch)
        (containing, found, countAtHead) = (search.revisions, search.found, search.countAtHead)
        (self.notes, self.changed, self.authors) = (notes, changed, authors)
    }
}

/// The result of `redact`.
package enum RedactResult: Equatable, Sendable {
    case redacted(RedactionReport)
    /// The passage occurs so often, in so many revisions, that the search was stopped.
    case tooFrequent
    case refused(StoreRefusal)
}

/// Finds the authors of a passage. Add the changes that inserted a part of it, in their order.
package struct PassageAuthors: Sendable {
    package private(set) var authors: [RedactionReport.Author] = []
    package private(set) var changes = 0
    private var indices: [ByteString: Int] = [:]

    package init() {}

    package mutating func add(_ logged: LoggedChange, at revision: Revision) {
        changes += 1
        let index = indices[logged.pusher.user] ?? authors.count
        if index == authors.count {
            indices[logged.pusher.user] = index
            authors.append(
                RedactionReport.Author(
                    user: logged.pusher.user, first: revision, last: revision, firstTime: logged.time,
                    lastTime: logged.time))
        }
        authors[index].revisions += 1
        authors[index].last = revision
        authors[index].lastTime = logged.time
    }
}

/// Rewrites a history without a passage. Each revision keeps its number, author, time and offsets.
package struct RedactedHistory: Sendable {
    private let passage: Passage
    private let inserted: [Revision: [[Range<Int>]]]
    /// The text at the last revision that was rewritten.
    package private(set) var head: Snapshot

    /// `letters` are the letters of the passage in the text `start`, before the first change.
    package init(_ passage: Passage, _ origins: PassageOrigins, _ start: Snapshot, _ letters: [Range<Int>])
        throws(TextError)
    {
        (self.passage, inserted) = (passage, origins.inserted)
        let text =
            letters.isEmpty ? start.text : try TextBuffer(passage.masking(letters, of: start.text.string))
        head = Snapshot(revision: start.revision, text: text)
    }

    /// The next change without the passage.
    package mutating func next(_ logged: LoggedChange) throws(ChangeError) -> LoggedChange {
        let (revision, spans) = (head.revision.next, inserted[head.revision.next])
        var edits: [LoggedEdit] = []
        for (index, edit) in logged.edits.map(\.edit).enumerated() {
            do throws(TextError) {
                let text = spans.map { passage.masking($0[index], of: edit.text) } ?? edit.text
                edits.append(try LoggedEdit(try Edit(edit.range, text), in: head.text))
            } catch {
                throw .misplaced(edit: index, error)
            }
        }
        let change = LoggedChange(
            pusher: logged.pusher, seq: logged.seq, time: logged.time, edits: edits)
        head = Snapshot(revision: revision, text: try head.text.applying(change.change))
        return change
    }
}
