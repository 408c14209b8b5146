import CaretCore
package import CaretLog
package import CaretRooms
import CaretWire

extension StoreModel {
    /// Runs a call of a room or the hub, and returns the answer.
    package mutating func answer(_ call: StoreCall) -> StoreAnswer {
        switch call {
        case .append(let append): .appended(self.append([append])[0])
        case .appendLocked(let append, let plan): appendLocked(append, plan)
        case .pusher(let pusher, let document): .pusher(self.pusher(pusher, in: document))
        case .load(let document): .loaded(load(document))
        case .renewEpochs: .epochsRenewed(renewEpochs())
        case .text(let document, let revision): .text(text(of: document, at: revision))
        case .read(let document, let revision, let limit):
            .read(read(document, after: revision, limit: limit))
        case .rename(let document, let name): .renamed(rename(document, to: name))
        case .delete(let document, let time): .deleted(delete(document, at: time).refusal)
        case .redact(let document, let redaction): .redacted(redact(document, redaction))
        case .find(let name): .found(find(name))
        case .create(let name, let first, let time): .created(create(name, first, at: time))
        case .list(let prefix, let after, let limit):
            .listed(.success(list(prefix: prefix, after: after, limit: limit)))
        case .entries(let documents): .entries(documents.map { entry(of: $0) })
        case .tags(let call): .tags(answer(call))
        case .tokens(let call): .tokens(answer(call))
        case .admin(let call): .admin(answer(call))
        }
    }

    private mutating func appendLocked(_ append: Append, _ plan: SegmentPlan) -> StoreAnswer {
        let answer = appendLocked(append) { plan.changes(after: $0) }
        return .appendedLocked(missed: answer.missed, answer.outcome)
    }

    private func load(_ document: DocumentID) -> Result<LoadedDocument, StoreRefusal> {
        switch entry(of: document) {
        case .success(let entry): LoadedDocument.result(entry, text(of: document, at: nil))
        case .failure(let refusal): .failure(refusal)
        }
    }

    private mutating func answer(_ call: AdminCall) -> AdminCallAnswer {
        switch call {
        case .counters:
            .counted(
                CounterValues(
                    since: 1, counters: [CounterValues.Counter(name: "pushes", value: 2)], latencies: []))
        case .nodes(let load):
            .nodes(
                .success(
                    ServerList([
                        ServerSummary(
                            name: "model", address: nil, version: "caret/1", since: 1, silent: 0,
                            connections: load.connections, documents: load.documents, isAnswering: true)
                    ])))
        case .deleted(let prefix, let after, let limit):
            .deleted(.success(deleted(prefix: prefix, after: after, limit: limit)))
        case .undelete(let document): .undeleted(undelete(document))
        case .trim(let document, let revision): .trimmed(trim(document, through: revision))
        case .verify: .verified(.success(Verified(documents: 3, revisions: 4, findings: [])))
        case .backUp: .backedUp(.success(BackedUp(file: "caret.sqlite", bytes: 5, documents: 3)))
        }
    }

    private mutating func answer(_ call: TagCall) -> TagAnswer {
        switch call {
        case .add(let tag, let document, let limit): .added(addTag(tag, to: document, limit: limit))
        case .remove(let name, let document): .removed(removeTag(name, from: document))
        case .list(let document): .listed(tags(of: document))
        }
    }

    private mutating func answer(_ call: TokenCall) -> TokenAnswer {
        switch call {
        case .add(let user, let grants, let expires, let time):
            .added(addToken(of: user, grants, expires: expires, at: time))
        case .list(let after, let limit, let weight):
            .listed(.success(tokens(after: after, limit: limit, weighing: weight)))
        case .revoke(let token): .revoked(revokeToken(token).refusal)
        case .live(let tokens): .live(.success(live(tokens)))
        case .noteUses(let uses): .noted(noteUses(uses).refusal)
        case .noteEnds(let tokens): .noted(noteEnds(of: tokens).refusal)
        }
    }
}

extension StoreCall {
    /// Whether the call changes the store's contents.
    package var writes: Bool {
        switch self {
        case .append, .appendLocked, .rename, .delete, .redact, .renewEpochs, .create, .tokens, .admin: true
        case .tags(.list): false
        case .tags(.add), .tags(.remove): true
        case .pusher, .load, .text, .read, .find, .list, .entries: false
        }
    }

    /// The answer of a store that fails.
    package func refused(_ refusal: StoreRefusal) -> StoreAnswer {
        switch self {
        case .append: .appended(AppendOutcome(refusal))
        case .appendLocked: .appendedLocked(missed: [], AppendOutcome(refusal))
        case .pusher: .pusher(.failure(refusal))
        case .load: .loaded(.failure(refusal))
        case .renewEpochs: .epochsRenewed(.failure(refusal))
        case .text: .text(.failure(.refused(refusal)))
        case .read: .read(.failure(.refused(refusal)))
        case .rename: .renamed(.refused(refusal))
        case .delete: .deleted(refusal)
        case .redact: .redacted(.refused(refusal))
        case .find: .found(.failure(refusal))
        case .create: .created(.refused(refusal))
        case .list: .listed(.failure(refusal))
        case .entries(let documents): .entries(documents.map { _ in .failure(refusal) })
        case .tags(.add): .tags(.added(.refused(.refused(refusal))))
        case .tags(.remove): .tags(.removed(.failure(refusal)))
        case .tags(.list): .tags(.listed(.failure(refusal)))
        case .tokens(.noteUses), .tokens(.noteEnds): .tokens(.noted(refusal))
        case .tokens(.live): .tokens(.live(.failure(refusal)))
        case .tokens, .admin: preconditionFailure("the tests never refuse a call of an administrator")
        }
    }
}

extension AppendOutcome {
    init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .documentGone
        case .damaged: self = .documentDamaged
        case .full: self = .diskFull
        case .failed: self = .diskFailed
        case .away: self = .away
        }
    }
}
