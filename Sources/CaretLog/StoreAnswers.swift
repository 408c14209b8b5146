package import CaretCore

/// What a call for one document answers where it has nothing else to say.
package enum StoreRefusal: Error, Equatable, Sendable {
    /// There is no such document, or it was deleted.
    case gone
    /// The document is damaged: it is closed until it is sound again, and the others live.
    case damaged
    /// The disk is full; nothing was written, and it may be tried again.
    case full
    /// The disk failed; nothing more is written by this store.
    case failed
}

/// What came of `create`.
package enum Creation: Equatable, Sendable {
    case created(DocumentEntry)
    case exists(DocumentEntry)
    case refused(StoreRefusal)
}

/// What came of `rename`.
package enum Renaming: Equatable, Sendable {
    case renamed
    /// A document has that name; it may be the one itself.
    case exists
    case refused(StoreRefusal)
}

/// What came of `undelete`.
package enum Undeletion: Equatable, Sendable {
    case undeleted(DocumentEntry)
    /// Another document has its name now.
    case exists
    /// It was never deleted.
    case live
    case refused(StoreRefusal)
}

/// What came of `trim`.
package enum Trimming: Equatable, Sendable {
    /// History now starts behind this revision.
    case trimmed(start: Revision)
    case refused(HistoryRefusal)
}

/// Why a part of a document's history cannot be had.
package enum HistoryRefusal: Error, Equatable, Sendable {
    /// The revision is beyond the head.
    case ahead(head: Revision)
    /// The revision is below what is kept.
    case trimmed(start: Revision)
    /// The text is not that of its revision.
    case wrongText
    case refused(StoreRefusal)
}

/// A page of documents.
package struct Listing: Equatable, Sendable {
    package let entries: [DocumentEntry]
    /// There are more behind the last one.
    package let hasMore: Bool
    /// How many documents of this page are damaged so that not even their names are sure.
    package let damaged: Int

    package init(entries: [DocumentEntry], hasMore: Bool, damaged: Int = 0) {
        self.entries = entries
        self.hasMore = hasMore
        self.damaged = damaged
    }
}

/// Successive revisions, and the head when they were read.
package struct Reading: Equatable, Sendable {
    package let segment: Segment
    package let head: Revision

    package init(segment: Segment, head: Revision) {
        self.segment = segment
        self.head = head
    }
}

/// What is remembered of a pusher, and the head when it was looked up.
package struct PusherAnswer: Equatable, Sendable {
    package let entry: PusherEntry?
    package let head: Revision

    package init(entry: PusherEntry?, head: Revision) {
        self.entry = entry
        self.head = head
    }
}
