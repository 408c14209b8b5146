public import CaretCore
import CaretReplica
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of a document's revisions, the oldest first.
public struct DocumentHistory: Sendable {
    public let entries: [Entry]
    /// Whether more revisions follow the last one of this page.
    public let hasMore: Bool

    public struct Entry: Sendable {
        public let revision: Revision
        public let user: String
        /// The public id of the client that made the revision.
        public let client: String
        public let time: Date
        /// How many UTF-16 code units the revision inserted and deleted.
        public let inserted: Int
        public let deleted: Int
        /// The change to the text of the previous revision. Nil if the request did not ask for changes.
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
