public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of who changed each line of a text last.
public struct DocumentBlame: Sendable {
    /// The epoch that the revision belongs to.
    public let epoch: String
    /// The revision of the text.
    public let revision: Revision
    /// The ranges of lines, in order.
    public let ranges: [Lines]
    /// Whether more lines follow the last range of this page.
    public let hasMore: Bool

    /// Successive lines that the same revision changed last.
    public struct Lines: Sendable {
        /// The number of the first of these lines. The first line of a text is 1.
        public let first: Int
        public let count: Int
        /// The revision that changed the lines last. If the older history was trimmed, and the lines did not change since
        /// then, it is the oldest revision that is kept.
        public let revision: Revision
        /// Nil if the lines did not change since the oldest revision that is kept.
        public let author: Author?
    }

    public struct Author: Sendable {
        public let user: String
        /// The public id of the client that made the revision.
        public let client: String
        public let time: Date
    }

    init(_ answer: Blamed) {
        (epoch, revision, hasMore) = (answer.epoch.string, answer.revision, answer.hasMore)
        ranges = answer.ranges.map { range in
            let author = range.author.map {
                Author(
                    user: $0.user.string, client: $0.client.string, time: Date(milliseconds: $0.time))
            }
            return Lines(
                first: range.line, count: range.count, revision: range.revision, author: author)
        }
    }
}
