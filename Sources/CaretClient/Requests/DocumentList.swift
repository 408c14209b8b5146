public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of the documents of a server, sorted by name.
public struct DocumentList: Sendable {
    public let documents: [Entry]
    /// Whether more documents follow the last one of this page.
    public let hasMore: Bool

    public struct Entry: Sendable {
        public let name: String
        public let epoch: String
        public let revision: Revision
        /// The length of the text in UTF-16 code units.
        public let length: Int
        /// When the document was created or last changed.
        public let updated: Date

        init(_ summary: DocumentSummary) {
            name = summary.document.string
            epoch = summary.epoch.string
            revision = summary.revision
            length = summary.length
            updated = Date(milliseconds: summary.updated)
        }
    }

    init(_ answer: Listed) {
        documents = answer.documents.map { Entry($0) }
        hasMore = answer.hasMore
    }
}
