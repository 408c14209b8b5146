import CaretConfig
import CaretLog
import CaretRooms
import CaretWire

/// The calls of the hub to the store.
extension Switchboard {
    func call(_ call: StoreCall, as id: CallID, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        switch call {
        case .find(let name): store.find(name) { answer(.found($0)) }
        case .create(let name, let time): store.create(name, at: time) { answer(.created($0)) }
        case .text(let document, let revision):
            store.text(of: document, at: revision) { answer(.text($0)) }
        case .read(let document, let revision, let limit):
            store.read(document, after: revision, limit: limit) { answer(.read($0)) }
        case .list(let prefix, let after, let limit):
            store.list(prefix: prefix, after: after, limit: limit) { answer(.listed($0)) }
        case .entries(let documents): store.entries(of: documents) { answer(.entries($0)) }
        case .rename(let document, let name): store.rename(document, to: name) { answer(.renamed($0)) }
        case .delete(let document, let time):
            store.delete(document, at: time) { answer(.deleted($0.refusal)) }
        case .tokens(let call): self.call(call) { answer(.tokens($0)) }
        case .admin(let call): self.call(call, as: id) { answer(.admin($0)) }
        }
    }

    private func call(
        _ call: AdminCall, as id: CallID, then answer: @escaping @Sendable (AdminCallAnswer) -> Void
    ) {
        let progress: StoreCare.Progress = { [hub] in hub.enqueue(.progressed(id, $0)) }
        switch call {
        case .counters: answer(.counted(Counted(board.counts, since: clock.start)))
        case .deleted(let prefix, let after, let limit):
            store.deleted(prefix: prefix, after: after, limit: limit) { answer(.deleted($0)) }
        case .undelete(let document): store.undelete(document) { answer(.undeleted($0)) }
        case .trim(let document, let revision):
            store.trim(document, through: revision) { answer(.trimmed($0)) }
        case .verify(let document): care.verify(document, progress) { answer(.verified($0)) }
        case .backUp(let time): care.backUp(at: time, progress) { answer(.backedUp($0)) }
        }
    }

    private func call(_ call: TokenCall, then answer: @escaping @Sendable (TokenAnswer) -> Void) {
        switch call {
        case .add(let user, let grants, let time):
            store.addToken(of: user, grants, at: time) { [log] result in
                if case .success(let text) = result {
                    log.write(LogEvent(.tokenAdded, .token(text.token.value)))
                }
                answer(.added(result))
            }
        case .list(let after, let limit, let weight):
            store.tokens(after: after, limit: limit, weighing: weight) { answer(.listed($0)) }
        case .revoke(let token):
            store.revokeToken(token) { [log] result in
                if case .success = result { log.write(LogEvent(.tokenRevoked, .token(token.value))) }
                answer(.revoked(result.refusal))
            }
        }
    }
}

extension Result<Void, StoreRefusal> {
    /// Nil where it was done.
    var refusal: StoreRefusal? {
        switch self {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }
}
