package import CaretCore
package import CaretLog

/// A store that can keep a snapshot now. Servers leave that to upkeep.
package protocol SnapshotStore: DocumentStore {
    func putSnapshot(_ snapshot: Snapshot, of document: DocumentID) async -> Result<Void, HistoryRefusal>
}

/// Store calls for tests. Each call waits for its answer, which must be one to that call.
extension DocumentStore {
    private func answer<Answer>(to call: StoreCall, _ read: (StoreAnswer) -> Answer?) async -> Answer {
        let answer = await answer(to: call)
        guard let read = read(answer) else {
            preconditionFailure("the store answered \(call) with \(answer)")
        }
        return read
    }

    package func append(_ append: Append) async -> AppendOutcome {
        await answer(to: .append(append)) { if case .appended(let outcome) = $0 { outcome } else { nil } }
    }

    /// Makes all calls at once, so that some of them share a transaction, and then calls `made`. Returns the outcomes in the
    /// order of the appends.
    package func append(_ appends: [Append], then made: () -> Void = {}) async -> [AppendOutcome] {
        let (answers, answered) = AsyncStream<(Int, StoreAnswer)>.makeStream()
        for (index, append) in appends.enumerated() {
            run(.append(append)) { answered.yield((index, $0)) }
        }
        made()
        var outcomes = appends.map { _ in AppendOutcome.unknown }
        for await case (let index, .appended(let outcome)) in answers.prefix(appends.count) {
            outcomes[index] = outcome
        }
        return outcomes
    }

    package func appendLocked(
        _ append: Append, rebase: @escaping @Sendable ([LoggedChange]) -> [PushedChange]
    ) async -> (missed: [LoggedChange], outcome: AppendOutcome) {
        await answer(to: .appendLocked(append, AppendRebase(rebase))) {
            if case .appendedLocked(let missed, let outcome) = $0 { (missed, outcome) } else { nil }
        }
    }

    package func create(
        _ name: DocumentName, _ history: InitialHistory? = nil, at time: Int64 = 0
    ) async -> CreateResult {
        await answer(to: .create(name, history, at: time)) {
            if case .created(let result) = $0 { result } else { nil }
        }
    }

    package func find(_ name: DocumentName) async -> Result<DocumentEntry, StoreRefusal> {
        await answer(to: .find(name)) { if case .found(let entry) = $0 { entry } else { nil } }
    }

    package func entries(of documents: [DocumentID]) async -> [Result<DocumentEntry, StoreRefusal>] {
        await answer(to: .entries(documents)) { if case .entries(let entries) = $0 { entries } else { nil } }
    }

    package func list(
        prefix: ByteString = "", after: ByteString? = nil, limit: Int = 100
    ) async -> Result<Listing, StoreRefusal> {
        await answer(to: .list(prefix: prefix, after: after, limit: limit)) {
            if case .listed(let listing) = $0 { listing } else { nil }
        }
    }

    package func deleted(
        prefix: ByteString = "", after: DocumentID? = nil, limit: Int = 1000
    ) async -> Result<Listing, StoreRefusal> {
        await answer(to: .deleted(prefix: prefix, after: after, limit: limit)) {
            if case .listed(let listing) = $0 { listing } else { nil }
        }
    }

    package func rename(_ document: DocumentID, to name: DocumentName) async -> RenameResult {
        await answer(to: .rename(document, to: name)) {
            if case .renamed(let result) = $0 { result } else { nil }
        }
    }

    /// Nil if the document was deleted.
    package func delete(_ document: DocumentID, at time: Int64 = 0) async -> StoreRefusal? {
        await answer(to: .delete(document, at: time)) {
            if case .deleted(let refusal) = $0 { .some(refusal) } else { nil }
        }
    }

    package func undelete(_ document: DocumentID) async -> UndeleteResult {
        await answer(to: .undelete(document)) { if case .undeleted(let result) = $0 { result } else { nil } }
    }

    package func open(
        _ name: DocumentName, by pusher: Pusher, pushers: Int
    ) async -> Result<LoadedDocument, StoreRefusal> {
        await answer(to: .open(name, by: pusher, pushers: pushers)) {
            if case .loaded(let loaded) = $0 { loaded } else { nil }
        }
    }

    package func load(_ document: DocumentID) async -> Result<LoadedDocument, StoreRefusal> {
        await answer(to: .load(document)) { if case .loaded(let loaded) = $0 { loaded } else { nil } }
    }

    package func read(
        _ document: DocumentID, after revision: Revision, limit: Int = .max
    ) async -> Result<HistorySlice, HistoryRefusal> {
        await answer(to: .read(document, after: revision, limit: limit)) {
            if case .read(let slice) = $0 { slice } else { nil }
        }
    }

    package func text(
        of document: DocumentID, at revision: Revision? = nil
    ) async -> Result<Snapshot, HistoryRefusal> {
        await answer(to: .text(document, at: revision)) {
            if case .text(let text) = $0 { text } else { nil }
        }
    }

    package func blame(
        _ document: DocumentID, at revision: Revision? = nil, after: Int = 0, limit: Int = .max
    ) async -> Result<BlamePage, BlameRefusal> {
        let query = BlameQuery(at: revision, after: after, limit: limit)
        return await answer(to: .blame(document, query)) {
            if case .blamed(let page) = $0 { page } else { nil }
        }
    }

    package func pusher(_ who: Pusher, in document: DocumentID) async -> Result<PusherAnswer, StoreRefusal> {
        await answer(to: .pusher(who, in: document)) {
            if case .pusher(let answer) = $0 { answer } else { nil }
        }
    }

    package func renewEpochs(
        known: Revision, of document: DocumentID
    ) async -> Result<Bool, StoreRefusal> {
        await answer(to: .renewEpochs(known: known, of: document)) {
            if case .epochsRenewed(let result) = $0 { result } else { nil }
        }
    }

    package func redact(_ document: DocumentID, _ redaction: Redaction) async -> RedactResult {
        await answer(to: .redact(document, redaction)) {
            if case .redacted(let result) = $0 { result } else { nil }
        }
    }

    package func trim(_ document: DocumentID, through revision: Revision) async -> TrimResult {
        await answer(to: .trim(document, through: revision)) {
            if case .trimmed(let result) = $0 { result } else { nil }
        }
    }
}

/// Calls about tokens for tests.
extension DocumentStore {
    private func answer<Answer>(to call: TokenCall, _ read: (TokenAnswer) -> Answer?) async -> Answer {
        await answer(to: .tokens(call)) { if case .tokens(let answer) = $0 { read(answer) } else { nil } }
    }

    package func addToken(
        of user: UserName, _ grants: Grants, expires: Int64? = nil, at time: Int64 = 0
    ) async -> Result<TokenText, StoreRefusal> {
        await answer(to: .add(user, grants, expires: expires, at: time)) {
            if case .added(let text) = $0 { text } else { nil }
        }
    }

    package func addLink(
        to document: DocumentID, _ name: DocumentName, _ access: Access
    ) async -> Result<TokenText, StoreRefusal> {
        await answer(to: .addLink(to: document, named: name, access, expires: 9, at: 5)) {
            if case .added(let text) = $0 { text } else { nil }
        }
    }

    package func token(shown text: ByteString) async -> Result<Token, StoreRefusal> {
        await answer(to: .find(shown: text)) { if case .found(let token) = $0 { token } else { nil } }
    }

    package func tokens(
        linksTo document: DocumentID? = nil, after: TokenID? = nil, limit: Int = 1000,
        weighing weight: Int = .max
    ) async -> Result<TokenListing, StoreRefusal> {
        await answer(to: .list(linksTo: document, after: after, limit: limit, weight: weight)) {
            if case .listed(let listing) = $0 { listing } else { nil }
        }
    }

    /// Nil if the token was revoked.
    package func revokeToken(
        _ token: TokenID, linkTo document: DocumentID? = nil
    ) async -> StoreRefusal? {
        await answer(to: .revoke(token, linkTo: document)) {
            if case .revoked(let refusal) = $0 { .some(refusal) } else { nil }
        }
    }

    package func live(_ tokens: [TokenID]) async -> Result<[TokenID], StoreRefusal> {
        await answer(to: .live(tokens)) { if case .live(let tokens) = $0 { tokens } else { nil } }
    }

    /// Nil if the ends were recorded.
    package func noteEnds(of tokens: [TokenID]) async -> StoreRefusal? {
        await answer(to: .noteEnds(tokens)) {
            if case .noted(let refusal) = $0 { .some(refusal) } else { nil }
        }
    }

    /// Nil if the sign-out was recorded.
    package func signOut(
        _ subject: SignOut.Subject, before: Int64, forgettingBefore oldest: Int64 = 0
    ) async -> StoreRefusal? {
        await answer(to: .signOut(SignOut(subject, before: before), forgettingBefore: oldest)) {
            if case .noted(let refusal) = $0 { .some(refusal) } else { nil }
        }
    }

    package func signOuts(after: Int64 = 0, limit: Int = 1000) async -> Result<SignOutPage, StoreRefusal> {
        await answer(to: .signOuts(after: after, limit: limit)) {
            if case .signOuts(let page) = $0 { page } else { nil }
        }
    }

    /// Nil if the uses were recorded.
    package func noteUses(_ uses: [TokenUse]) async -> StoreRefusal? {
        await answer(to: .noteUses(uses)) { if case .noted(let refusal) = $0 { .some(refusal) } else { nil } }
    }
}

/// Calls about notes for tests.
extension DocumentStore {
    private func write(_ call: NoteCall) async -> NoteResult {
        await answer(to: .notes(call)) {
            if case .notes(.written(let result)) = $0 { result } else { nil }
        }
    }

    package func addNote(
        _ content: NoteContent, to document: DocumentID, _ limits: NoteLimits = .sample
    ) async -> NoteResult {
        await write(.add(content, to: document, limits))
    }

    package func changeNote(
        _ number: NoteNumber, of document: DocumentID, version: Int64, _ change: NoteChange,
        _ limits: NoteLimits = .sample, ifBy user: ByteString? = nil
    ) async -> NoteResult {
        await write(.change(number, of: document, version: version, change, limits, ifBy: user))
    }

    package func acceptNote(
        _ number: NoteNumber, version: Int64, _ append: Append
    ) async -> NoteResult {
        await write(.accept(number, version: version, append))
    }

    package func notes(
        of document: DocumentID, since counter: Int64 = 0, after number: Int64 = 0, limit: Int = .max
    ) async -> Result<NotePage, StoreRefusal> {
        let query = NoteQuery(since: counter, after: NoteNumber(number), limit: limit)
        return await answer(to: .notes(.list(document, query))) {
            if case .notes(.listed(let page)) = $0 { page } else { nil }
        }
    }
}

extension NoteLimits {
    package static let sample = NoteLimits(notes: 10_000, bytes: 4 << 20)
}

/// Calls about tags for tests.
extension DocumentStore {
    private func answer<Answer>(to call: TagCall, _ read: (TagAnswer) -> Answer?) async -> Answer {
        await answer(to: .tags(call)) { if case .tags(let answer) = $0 { read(answer) } else { nil } }
    }

    package func addTag(_ tag: Tag, to document: DocumentID, limit: Int = 1_000) async -> TagResult {
        await answer(to: .add(tag, to: document, limit: limit)) {
            if case .added(let result) = $0 { result } else { nil }
        }
    }

    package func removeTag(
        _ name: TagName, from document: DocumentID
    ) async -> Result<Bool, StoreRefusal> {
        await answer(to: .remove(name, from: document)) {
            if case .removed(let result) = $0 { result } else { nil }
        }
    }

    package func tags(of document: DocumentID) async -> Result<[Tag], StoreRefusal> {
        await answer(to: .list(document)) {
            if case .listed(let found) = $0 { found.map(\.tags) } else { nil }
        }
    }

    package func copy(_ copy: DocumentCopy) async -> CopyResult {
        await answer(to: .copy(copy)) { if case .copied(let result) = $0 { result } else { nil } }
    }
}
