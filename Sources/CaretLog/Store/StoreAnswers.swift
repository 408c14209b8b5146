package import CaretCore

/// Why the store refused a call about one document.
package enum StoreRefusal: Error, Equatable, Sendable {
    /// The document does not exist, or was deleted.
    case gone
    /// The document is damaged, and stays closed until it is repaired. Other documents are not affected.
    case damaged
    /// The disk is full. Nothing was written, and the caller may try again.
    case full
    /// The disk failed. The store accepts no more writes.
    case failed
    /// The store cannot be reached now. Nothing was written, and the caller may try again.
    case away
}

/// The result of `create`.
package enum CreateResult: Equatable, Sendable {
    case created(DocumentEntry)
    case exists(DocumentEntry)
    /// Nothing was created: the first revision does not fit an empty text, or one of its numbers is too large
    /// to be stored.
    case invalidChange
    case refused(StoreRefusal)
}

/// The result of `rename`.
package enum RenameResult: Equatable, Sendable {
    case renamed
    /// A document already has the new name. That document may be the renamed one itself.
    case exists
    case refused(StoreRefusal)
}

/// The result of `undelete`.
package enum UndeleteResult: Equatable, Sendable {
    case undeleted(DocumentEntry)
    /// Another document has the name now.
    case exists
    /// The document is not deleted.
    case live
    case refused(StoreRefusal)
}

/// The result of `trim`.
package enum TrimResult: Equatable, Sendable {
    /// History now begins after this revision.
    case trimmed(start: Revision)
    case refused(HistoryRefusal)
}

/// Why a part of a document's history is not available.
package enum HistoryRefusal: Error, Equatable, Sendable {
    /// The revision is beyond the head.
    case ahead(head: Revision)
    /// The revision was trimmed.
    case trimmed(start: Revision)
    /// The given text is not the document's text at the given revision.
    case wrongText
    case refused(StoreRefusal)
}

/// A page of documents.
package struct Listing: Equatable, Sendable {
    package let entries: [DocumentEntry]
    /// More documents follow the last one of this page.
    package let hasMore: Bool
    /// The number of documents on this page that are so damaged that not even their names are known.
    package let damaged: Int

    package init(entries: [DocumentEntry], hasMore: Bool, damaged: Int = 0) {
        self.entries = entries
        self.hasMore = hasMore
        self.damaged = damaged
    }
}

/// Successive revisions, and the head at the time of reading.
package struct HistorySlice: Equatable, Sendable {
    package let segment: Segment
    package let head: Revision

    package init(segment: Segment, head: Revision) {
        self.segment = segment
        self.head = head
    }
}

/// The entry of a pusher, if the store still has one, and the head at the time of reading.
package struct PusherAnswer: Equatable, Sendable {
    package let entry: PusherEntry?
    package let head: Revision

    package init(entry: PusherEntry?, head: Revision) {
        self.entry = entry
        self.head = head
    }
}

/// A document in the store: its entry, its text at the head, and its pushers if the call asked for them.
package struct LoadedDocument: Equatable, Sendable {
    package let entry: DocumentEntry
    package let head: Snapshot
    /// What the store knows of the pusher who opens the document.
    package var opener: PusherEntry?
    /// All pushers of the document; nil if there are too many.
    package var pushers: [KnownPusher]?

    package init(_ entry: DocumentEntry, _ head: Snapshot) { (self.entry, self.head) = (entry, head) }
}

/// A pusher of a document, and what the store knows of it.
package struct KnownPusher: Equatable, Sendable {
    package let pusher: Pusher
    package let entry: PusherEntry

    package init(_ pusher: Pusher, _ entry: PusherEntry) { (self.pusher, self.entry) = (pusher, entry) }
}

extension HistoryRefusal {
    /// The refusal for a call that names no revision.
    package var storeRefusal: StoreRefusal {
        switch self {
        case .refused(let refusal): refusal
        // Such a call reads the head, and a head that cannot be read is damage.
        case .ahead, .trimmed, .wrongText: .damaged
        }
    }
}
