public import CaretCore
import CaretReplica
import CaretWire
public import FoundationEssentials

/// A page of the revisions of a document, the oldest first.
public struct DocumentHistory: Sendable {
    public let entries: [Entry]
    /// There are more behind the last one.
    public let hasMore: Bool

    public struct Entry: Sendable {
        public let revision: Revision
        public let user: String
        /// The public id of the client that made it.
        public let client: String
        public let time: Date
        /// How many UTF-16 code units came and went.
        public let inserted: Int
        public let deleted: Int
        /// What it changed in the text of the revision before, where that was asked for.
        public let change: Change?

        init(_ summary: RevisionSummary) throws {
            revision = summary.revision
            user = summary.author.user.string
            client = summary.author.client.string
            time = Date(milliseconds: summary.author.time)
            inserted = summary.inserted
            deleted = summary.deleted
            change = try summary.edits.map { try Change($0.map { try Edit($0) }) }
        }
    }

    init(_ answer: Revisions) throws {
        entries = try answer.revisions.map { try Entry($0) }
        hasMore = answer.hasMore
    }
}
