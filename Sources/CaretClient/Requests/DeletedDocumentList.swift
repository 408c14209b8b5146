public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of deleted documents that can be brought back, sorted by number.
public struct DeletedDocumentList: Sendable {
    public let documents: [Entry]
    /// Whether more documents follow the last one of this page.
    public let hasMore: Bool

    public struct Entry: Sendable {
        public let number: Int
        public let name: String
        public let revision: Revision
        /// The length of the text in UTF-16 code units.
        public let length: Int
        public let updated: Date
        public let deleted: Date

        init(_ document: DeletedDocument) {
            number = document.number
            name = document.document.string
            revision = document.revision
            length = document.length
            updated = Date(milliseconds: document.updated)
            deleted = Date(milliseconds: document.deleted)
        }
    }

    init(_ answer: DeletedDocuments) {
        documents = answer.documents.map { Entry($0) }
        hasMore = answer.hasMore
    }
}
