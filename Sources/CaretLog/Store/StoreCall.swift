package import CaretCore

/// Stores documents with their histories, tags and notes, and the tokens of users. Calls are durable, and linearizable for
/// each document.
package protocol DocumentStore: Sendable {
    /// Makes a call. Returns at once, and calls `answer` exactly once: on any thread, but never on the caller's stack, and
    /// in any order with other answers. An answer reports a commit only after the sync that made the commit durable.
    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void)
}

extension DocumentStore {
    /// Makes a call, and waits for its answer.
    package func answer(to call: StoreCall) async -> StoreAnswer {
        await withCheckedContinuation { done in run(call) { done.resume(returning: $0) } }
    }
}

/// A call to a store. `StoreAnswer` has an answer to each call, such as `created` to `create`.
package enum StoreCall: Equatable, Sendable {
    // MARK: Appending

    /// Appends to a document. A store commits many appends in one transaction, and can refuse one of them and commit the
    /// others. It locks their documents in the order of their ids.
    ///
    /// `unknown` may be the outcome of a commit that is still under way. The store decides that commit before it answers a
    /// later call of the same caller about the same document.
    case append(Append)
    /// Takes the store's lock, passes the changes after `expected` to the rebase, and appends the changes that it returns.
    /// A writer uses this call after two conflicts in a row.
    indirect case appendLocked(Append, AppendRebase)

    // MARK: Documents

    /// Creates a document, unless the name is taken. The document is empty at revision 0, or has this history. It and its
    /// history are one commit.
    indirect case create(DocumentName, InitialHistory?, at: Int64)
    case find(DocumentName)
    /// The entries of these documents, in this order. They include every commit that was reported before this call.
    case entries([DocumentID])
    /// One page of the documents whose names begin with `prefix`. The names are sorted by their bytes, and the page begins
    /// after the name `after`.
    case list(prefix: ByteString, after: ByteString?, limit: Int)
    /// One page of the deleted documents that can still be undeleted. They are sorted by their ids, and the page begins after
    /// the id `after`.
    case deleted(prefix: ByteString, after: DocumentID?, limit: Int)
    /// Renames a document. The document's id, epoch, history and pushers stay the same.
    indirect case rename(DocumentID, to: DocumentName)
    /// Deletes a document. The document can be undeleted for some time. The name of the deleted document is free at once.
    case delete(DocumentID, at: Int64)
    /// Restores a deleted document, unchanged and under its old name.
    case undelete(DocumentID)

    // MARK: Texts and histories

    /// What a room begins with: the entry of the document with this name, its text at the head, and what is known of the
    /// pusher who opens it. If at most `pushers` pushers have pushed to the document, all of them are returned. They include
    /// every commit that was reported before this call. The caller must know the outcomes of its appends to the document.
    indirect case open(DocumentName, by: Pusher, pushers: Int)
    /// The entry of a document, and its text at the head.
    case load(DocumentID)
    /// The text at a revision that is kept, or at the head if the revision is nil.
    case text(DocumentID, at: Revision?)
    /// The revisions after `after`, in order, and the head. The sum of their changes' `weight` is at most `limit`. But if
    /// there are any revisions, at least one is returned.
    case read(DocumentID, after: Revision, limit: Int)
    /// Who changed the lines of a text last. The store reads the whole kept history up to the text for it, but never has
    /// more of it in memory than a part.
    case blame(DocumentID, BlameQuery)
    /// The entry of a pusher in a document, if the store still has one, and the head at the time of reading. They include
    /// every commit that was reported before this call.
    indirect case pusher(Pusher, in: DocumentID)
    /// Reports that a client knows a revision of a document's epoch that is beyond the head. This shows that the database
    /// was replaced by an older copy. Renews the epochs of all documents, unless the store's epochs were created or renewed
    /// after the store was opened, because then the database cannot be an older copy.
    case renewEpochs(known: Revision, of: DocumentID)
    /// Removes a passage from every revision of a document's history. Each revision keeps its number, author, time and
    /// offsets, and the pushers stay known. Removes the passage from the document's notes too. The document gets a new
    /// epoch. All of this happens or nothing. If no revision and no note contains the passage, nothing changes.
    indirect case redact(DocumentID, Redaction)
    /// Deletes all revisions up to and including `through`. The text at that revision stays readable.
    case trim(DocumentID, through: Revision)

    // MARK: Tags, notes and tokens

    indirect case tags(TagCall)
    indirect case notes(NoteCall)
    case tokens(TokenCall)
}

/// The answer of a store to a `StoreCall`.
package enum StoreAnswer: Equatable, Sendable {
    case appended(AppendOutcome)
    /// `missed` are the changes after `expected`, over which the appended changes were rebased.
    case appendedLocked(missed: [LoggedChange], AppendOutcome)
    case created(CreateResult)
    case found(Result<DocumentEntry, StoreRefusal>)
    case entries([Result<DocumentEntry, StoreRefusal>])
    /// The answer to `list` and to `deleted`.
    case listed(Result<Listing, StoreRefusal>)
    case renamed(RenameResult)
    /// The refusal is nil if the document was deleted.
    case deleted(StoreRefusal?)
    case undeleted(UndeleteResult)
    case loaded(Result<LoadedDocument, StoreRefusal>)
    case text(Result<Snapshot, HistoryRefusal>)
    case read(Result<HistorySlice, HistoryRefusal>)
    case blamed(Result<BlamePage, BlameRefusal>)
    case pusher(Result<PusherAnswer, StoreRefusal>)
    /// True if the store renewed the epochs.
    case epochsRenewed(Result<Bool, StoreRefusal>)
    case redacted(RedactResult)
    case trimmed(TrimResult)
    case tags(TagAnswer)
    case notes(NoteAnswer)
    case tokens(TokenAnswer)
}

/// Makes the changes of a locked append.
package struct AppendRebase: Equatable, Sendable {
    /// The changes to append after `missed`, which others committed first. It must be pure.
    package let changes: @Sendable (_ missed: [LoggedChange]) -> [PushedChange]

    package init(_ changes: @escaping @Sendable ([LoggedChange]) -> [PushedChange]) { self.changes = changes }

    /// Always true, because functions cannot be compared. Calls differ by their appends.
    package static func == (left: AppendRebase, right: AppendRebase) -> Bool { true }
}

extension StoreCall {
    /// The answer if the call is refused, and nothing was written.
    package func refused(_ refusal: HistoryRefusal) -> StoreAnswer {
        let plain = refusal.storeRefusal
        return switch self {
        case .append: .appended(AppendOutcome(refusal))
        case .appendLocked: .appendedLocked(missed: [], AppendOutcome(refusal))
        case .create: .created(.refused(plain))
        case .find: .found(.failure(plain))
        case .entries(let documents): .entries(documents.map { _ in .failure(plain) })
        case .list, .deleted: .listed(.failure(plain))
        case .rename: .renamed(.refused(plain))
        case .delete: .deleted(plain)
        case .undelete: .undeleted(.refused(plain))
        case .open, .load: .loaded(.failure(plain))
        case .text: .text(.failure(refusal))
        case .read: .read(.failure(refusal))
        case .blame: .blamed(.failure(.history(refusal)))
        case .pusher: .pusher(.failure(plain))
        case .renewEpochs: .epochsRenewed(.failure(plain))
        case .redact: .redacted(.refused(plain))
        case .trim: .trimmed(.refused(refusal))
        case .tags(let call): .tags(call.refused(refusal))
        case .notes(let call): .notes(call.refused(refusal))
        case .tokens(let call): .tokens(call.refused(plain))
        }
    }
}

extension AppendOutcome {
    /// The outcome of an append of which nothing was committed.
    package init(_ refusal: HistoryRefusal) {
        if case .ahead(let head) = refusal {
            self = .conflict(head: head)
            return
        }
        switch refusal.storeRefusal {
        case .gone: self = .documentGone
        case .damaged: self = .documentDamaged
        case .full: self = .diskFull
        case .failed: self = .diskFailed
        case .away: self = .away
        }
    }
}
