package import CaretCore
package import CaretLog

/// Identifies a call to the store. The answer has the same id. Each caller numbers its own calls.
package struct CallID: Hashable, Comparable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }

    package static func < (left: CallID, right: CallID) -> Bool { left.value < right.value }
}

/// The calls of rooms and the hub to the store. All calls except `admin` are methods of the store.
package enum StoreCall: Equatable, Sendable {
    // Calls by rooms.
    case append(Append)
    /// Appends under the store's lock, with `SegmentPlan.changes(after:)` as `rebase`.
    indirect case appendLocked(Append, SegmentPlan)
    indirect case pusher(Pusher, in: DocumentID)
    /// The entry of a document and its text at the head.
    case load(DocumentID)
    /// Asks the store to renew its epochs. A client knows this revision of the document's epoch, and it is
    /// beyond the head.
    case renewEpochs(known: Revision, of: DocumentID)

    // Calls by rooms and by the hub.
    case text(DocumentID, at: Revision?)
    case read(DocumentID, after: Revision, limit: Int)
    indirect case rename(DocumentID, to: DocumentName)
    case delete(DocumentID, at: Int64)
    indirect case redact(DocumentID, Redaction)

    // Calls by the hub.
    case find(DocumentName)
    indirect case create(DocumentName, FirstRevision?, at: Int64)
    case list(prefix: ByteString, after: ByteString?, limit: Int)
    case entries([DocumentID])
    indirect case tags(TagCall)
    case tokens(TokenCall)
    case admin(AdminCall)
}

/// The store's answer to the call of the same name.
package enum StoreAnswer: Equatable, Sendable {
    case appended(AppendOutcome)
    /// `missed` contains the changes that others committed first. The appended changes were rebased over
    /// them.
    case appendedLocked(missed: [LoggedChange], AppendOutcome)
    case pusher(Result<PusherAnswer, StoreRefusal>)
    case loaded(Result<LoadedDocument, StoreRefusal>)
    /// True if the store renewed the epochs.
    case epochsRenewed(Result<Bool, StoreRefusal>)
    case text(Result<Snapshot, HistoryRefusal>)
    case read(Result<HistorySlice, HistoryRefusal>)
    case renamed(RenameResult)
    /// The refusal is nil if the document was deleted.
    case deleted(StoreRefusal?)
    case redacted(RedactResult)
    case found(Result<DocumentEntry, StoreRefusal>)
    case created(CreateResult)
    case listed(Result<Listing, StoreRefusal>)
    case entries([Result<DocumentEntry, StoreRefusal>])
    case tags(TagAnswer)
    case tokens(TokenAnswer)
    case admin(AdminCallAnswer)
}

/// A document in the store: its entry, and its text at the head.
package struct LoadedDocument: Equatable, Sendable {
    package let entry: DocumentEntry
    package let head: Snapshot

    package init(_ entry: DocumentEntry, _ head: Snapshot) { (self.entry, self.head) = (entry, head) }
}
