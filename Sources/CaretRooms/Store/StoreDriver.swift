package import CaretLog

/// Makes the calls of rooms and the hub, and returns the answers.
package protocol StoreCaller: Sendable {
    /// Makes a call. `answer` runs once, on any thread.
    func call(_ call: StoreCall, as id: CallID, then answer: @escaping @Sendable (StoreAnswer) -> Void)
}

/// Makes calls to a store.
package struct StoreDriver: StoreCaller {
    private let store: any DocumentStore & TokenStore & TagStore
    private let administer: Administration

    /// Makes a call for an administrator.
    package typealias Administration =
        @Sendable (AdminCall, CallID, @escaping @Sendable (AdminCallAnswer) -> Void) -> Void

    package init(_ store: any DocumentStore & TokenStore & TagStore, _ administer: @escaping Administration) {
        (self.store, self.administer) = (store, administer)
    }

    package func call(
        _ call: StoreCall, as id: CallID, then answer: @escaping @Sendable (StoreAnswer) -> Void
    ) {
        switch call {
        case .append(let append): store.append([append]) { answer(.appended($0[0])) }
        case .appendLocked(let append, let plan):
            store.appendLocked(append, rebase: plan.changes(after:)) {
                answer(.appendedLocked(missed: $0, $1))
            }
        case .pusher(let pusher, let document): store.pusher(pusher, in: document) { answer(.pusher($0)) }
        case .load(let document): load(document) { answer(.loaded($0)) }
        case .renewEpochs(let known, let document):
            store.renewEpochs(known: known, of: document) { answer(.epochsRenewed($0)) }
        case .text(let document, let revision):
            store.text(of: document, at: revision) { answer(.text($0)) }
        case .read(let document, let revision, let limit):
            store.read(document, after: revision, limit: limit) { answer(.read($0)) }
        case .rename(let document, let name): store.rename(document, to: name) { answer(.renamed($0)) }
        case .delete(let document, let time):
            store.delete(document, at: time) { answer(.deleted($0.refusal)) }
        case .redact(let document, let redaction):
            store.redact(document, redaction) { answer(.redacted($0)) }
        case .find(let name): store.find(name) { answer(.found($0)) }
        case .create(let name, let first, let time):
            store.create(name, first, at: time) { answer(.created($0)) }
        case .list(let prefix, let after, let limit):
            store.list(prefix: prefix, after: after, limit: limit) { answer(.listed($0)) }
        case .entries(let documents): store.entries(of: documents) { answer(.entries($0)) }
        case .tags(let call): self.call(call) { answer(.tags($0)) }
        case .tokens(let call): self.call(call) { answer(.tokens($0)) }
        case .admin(let call): administer(call, id) { answer(.admin($0)) }
        }
    }

    private func load(
        _ document: DocumentID,
        then answer: @escaping @Sendable (Result<LoadedDocument, StoreRefusal>) -> Void
    ) {
        store.entries(of: [document]) { [store] entries in
            switch entries[0] {
            case .failure(let refusal): answer(.failure(refusal))
            case .success(let entry):
                store.text(of: document, at: nil) { text in
                    answer(LoadedDocument.result(entry, text))
                }
            }
        }
    }

    private func call(_ call: TagCall, then answer: @escaping @Sendable (TagAnswer) -> Void) {
        switch call {
        case .add(let tag, let document, let limit):
            store.addTag(tag, to: document, limit: limit) { answer(.added($0)) }
        case .remove(let name, let document):
            store.removeTag(name, from: document) { answer(.removed($0)) }
        case .list(let document): store.tags(of: document) { answer(.listed($0)) }
        }
    }

    private func call(_ call: TokenCall, then answer: @escaping @Sendable (TokenAnswer) -> Void) {
        switch call {
        case .add(let user, let grants, let expires, let time):
            store.addToken(of: user, grants, expires: expires, at: time) { answer(.added($0)) }
        case .list(let after, let limit, let weight):
            store.tokens(after: after, limit: limit, weighing: weight) { answer(.listed($0)) }
        case .revoke(let token): store.revokeToken(token) { answer(.revoked($0.refusal)) }
        case .live(let tokens): store.live(tokens) { answer(.live($0)) }
        case .noteUses(let uses): store.noteUses(uses) { answer(.noted($0.refusal)) }
        case .noteEnds(let tokens): store.noteEnds(of: tokens) { answer(.noted($0.refusal)) }
        }
    }
}

extension LoadedDocument {
    /// Combines a document's entry with the answer to the read of its text at the head.
    package static func result(
        _ entry: DocumentEntry, _ text: Result<Snapshot, HistoryRefusal>
    ) -> Result<LoadedDocument, StoreRefusal> {
        switch text {
        case .success(let head): .success(LoadedDocument(entry, head))
        case .failure(.refused(let refusal)): .failure(refusal)
        // A head that cannot be read means damage, whatever error the store reports.
        case .failure(.ahead), .failure(.trimmed), .failure(.wrongText): .failure(.damaged)
        }
    }
}

extension Result<Void, StoreRefusal> {
    /// Nil if the call succeeded.
    package var refusal: StoreRefusal? {
        switch self {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }
}
