public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a redaction has changed, or would change.
public struct RedactedPassage: Equatable, Sendable {
    /// A user who wrote a part of the passage.
    public struct Author: Equatable, Sendable {
        public let user: String
        /// How many of the user's revisions change.
        public let revisions: Int
        /// The first and the last of these revisions, and when they were made.
        public let range: ClosedRange<Revision>
        public let since: Date
        public let until: Date
    }

    /// How many revisions contain the passage.
    public let containing: Int
    /// How many notes contain it.
    public let notes: Int
    /// How often the newest text contains the passage, or contained it before the redaction.
    public let countInHead: Int
    /// How many revisions inserted a part of the passage. Their inserted text changes.
    public let changed: Int
    public let authors: [Author]
    /// The backups in the folder `backups` of the server. They were made before, so they may contain the
    /// passage.
    public let backups: [String]
    /// There are more authors or backups than these lists have.
    public let hasMore: Bool
    /// Whether the passage is erased from the unused parts of the server's files, too. If not, the server
    /// erases it later.
    public let isErased: Bool

    /// Whether the passage was found. If not, nothing is changed.
    public var isFound: Bool { containing + notes > 0 }

    init(_ answer: Redacted) {
        (containing, countInHead, changed) = (answer.containing, answer.inHead, answer.changed)
        notes = answer.notes ?? 0
        authors = answer.authors.map { author in
            Author(
                user: author.user.string, revisions: author.revisions,
                range: author.first...max(author.first, author.last),
                since: Date(milliseconds: author.since), until: Date(milliseconds: author.until))
        }
        backups = answer.backups.map(\.string)
        (hasMore, isErased) = (answer.hasMore, answer.isErased)
    }
}
