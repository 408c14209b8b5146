package import CaretCore
package import CaretLog

/// Store calls for tests. Each call waits for its answer.
extension DocumentStore {
    package func append(_ appends: [Append]) async -> [AppendOutcome] {
        await withCheckedContinuation { done in append(appends) { done.resume(returning: $0) } }
    }

    package func append(_ one: Append) async -> AppendOutcome { await append([one])[0] }

    package func appendLocked(
        _ one: Append, rebase: @escaping @Sendable ([LoggedChange]) -> [PushedChange]
    ) async -> (missed: [LoggedChange], outcome: AppendOutcome) {
        await withCheckedContinuation { done in
            appendLocked(one, rebase: rebase) { done.resume(returning: ($0, $1)) }
        }
    }

    package func create(
        _ name: DocumentName, _ first: FirstRevision? = nil, at time: Int64 = 0
    ) async -> CreateResult {
        await withCheckedContinuation { done in create(name, first, at: time) { done.resume(returning: $0) } }
    }

    package func find(_ name: DocumentName) async -> Result<DocumentEntry, StoreRefusal> {
        await withCheckedContinuation { done in find(name) { done.resume(returning: $0) } }
    }

    package func entries(of documents: [DocumentID]) async -> [Result<DocumentEntry, StoreRefusal>] {
        await withCheckedContinuation { done in entries(of: documents) { done.resume(returning: $0) } }
    }

    package func list(
        prefix: ByteString = "", after: ByteString? = nil, limit: Int = 100
    ) async -> Result<Listing, StoreRefusal> {
        await withCheckedContinuation { done in
            list(prefix: prefix, after: after, limit: limit) { done.resume(returning: $0) }
        }
    }

    package func rename(_ document: DocumentID, to name: DocumentName) async -> RenameResult {
        await withCheckedContinuation { done in rename(document, to: name) { done.resume(returning: $0) } }
    }

    package func deleted(
        prefix: ByteString = "", after: DocumentID? = nil, limit: Int = 1000
    ) async -> Result<Listing, StoreRefusal> {
        await withCheckedContinuation { done in
            deleted(prefix: prefix, after: after, limit: limit) { done.resume(returning: $0) }
        }
    }

    package func delete(_ document: DocumentID, at time: Int64 = 0) async -> Result<Void, StoreRefusal> {
        await withCheckedContinuation { done in delete(document, at: time) { done.resume(returning: $0) } }
    }

    package func undelete(_ document: DocumentID) async -> UndeleteResult {
        await withCheckedContinuation { done in undelete(document) { done.resume(returning: $0) } }
    }

    package func read(
        _ document: DocumentID, after revision: Revision, limit: Int = .max
    ) async -> Result<HistorySlice, HistoryRefusal> {
        await withCheckedContinuation { done in
            read(document, after: revision, limit: limit) { done.resume(returning: $0) }
        }
    }

    package func text(of document: DocumentID, at revision: Revision? = nil) async -> Result<
        Snapshot, HistoryRefusal
    > {
        await withCheckedContinuation { done in
            text(of: document, at: revision) { done.resume(returning: $0) }
        }
    }

    package func pusher(_ who: Pusher, in document: DocumentID) async -> Result<PusherAnswer, StoreRefusal> {
        await withCheckedContinuation { done in pusher(who, in: document) { done.resume(returning: $0) } }
    }

    package func putSnapshot(_ snapshot: Snapshot, of document: DocumentID) async -> Result<
        Void, HistoryRefusal
    > {
        await withCheckedContinuation { done in
            putSnapshot(snapshot, of: document) { done.resume(returning: $0) }
        }
    }

    package func renewEpochs(
        known: Revision, of document: DocumentID
    ) async -> Result<Bool, StoreRefusal> {
        await withCheckedContinuation { done in
            renewEpochs(known: known, of: document) { done.resume(returning: $0) }
        }
    }

    package func redact(_ document: DocumentID, _ redaction: Redaction) async -> RedactResult {
        await withCheckedContinuation { done in
            redact(document, redaction) { done.resume(returning: $0) }
        }
    }

    package func trim(_ document: DocumentID, through revision: Revision) async -> TrimResult {
        await withCheckedContinuation { done in
            trim(document, through: revision) { done.resume(returning: $0) }
        }
    }
}

extension TokenStore {
    package func addToken(
        of user: UserName, _ grants: Grants, expires: Int64? = nil, at time: Int64 = 0
    ) async -> Result<TokenText, StoreRefusal> {
        await withCheckedContinuation { done in
            addToken(of: user, grants, expires: expires, at: time) { done.resume(returning: $0) }
        }
    }

    package func token(shown text: ByteString) async -> Result<Token, StoreRefusal> {
        await withCheckedContinuation { done in token(shown: text) { done.resume(returning: $0) } }
    }

    package func tokens(
        after: TokenID? = nil, limit: Int = 1000, weighing weight: Int = .max
    ) async -> Result<TokenListing, StoreRefusal> {
        await withCheckedContinuation { done in
            tokens(after: after, limit: limit, weighing: weight) { done.resume(returning: $0) }
        }
    }

    package func revokeToken(_ token: TokenID) async -> Result<Void, StoreRefusal> {
        await withCheckedContinuation { done in revokeToken(token) { done.resume(returning: $0) } }
    }

    package func live(_ tokens: [TokenID]) async -> Result<[TokenID], StoreRefusal> {
        await withCheckedContinuation { done in live(tokens) { done.resume(returning: $0) } }
    }

    package func noteEnds(of tokens: [TokenID]) async -> Result<Void, StoreRefusal> {
        await withCheckedContinuation { done in noteEnds(of: tokens) { done.resume(returning: $0) } }
    }

    package func noteUses(_ uses: [TokenUse]) async -> Result<Void, StoreRefusal> {
        await withCheckedContinuation { done in noteUses(uses) { done.resume(returning: $0) } }
    }
}

/// Calls about tags for tests.
extension TagStore {
    package func addTag(_ tag: Tag, to document: DocumentID, limit: Int = 1_000) async -> TagResult {
        await withCheckedContinuation { done in
            addTag(tag, to: document, limit: limit) { done.resume(returning: $0) }
        }
    }

    package func removeTag(
        _ name: TagName, from document: DocumentID
    ) async -> Result<Bool, StoreRefusal> {
        await withCheckedContinuation { done in
            removeTag(name, from: document) { done.resume(returning: $0) }
        }
    }

    package func tags(of document: DocumentID) async -> Result<[Tag], StoreRefusal> {
        await withCheckedContinuation { done in tags(of: document) { done.resume(returning: $0) } }
    }
}
