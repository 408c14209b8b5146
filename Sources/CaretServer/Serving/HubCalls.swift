import CaretConfig
import CaretLog
import CaretRooms
import CaretWire

/// The calls that the hub makes to the store.
extension Switchboard {
    /// Calls the store, and sends the answer to the hub.
    func make(_ call: StoreCall, _ id: CallID) {
        store.call(call, as: id) { [self] answer in
            logTokenChange(answer, to: call)
            hub.enqueue(.event(.answered(id, answer)))
        }
    }

    /// Logs added and revoked tokens.
    private func logTokenChange(_ answer: StoreAnswer, to call: StoreCall) {
        switch (call, answer) {
        case (_, .tokens(.added(.success(let text)))):
            log.write(LogEvent(.tokenAdded, .token(text.token.value)))
        case (.tokens(.revoke(let token)), .tokens(.revoked(nil))):
            log.write(LogEvent(.tokenRevoked, .token(token.value)))
        default: break
        }
    }
}

/// Performs the requests of administrators, in the store and the server.
struct Administration: Sendable {
    let store: any ServedStore
    let node: ServerNode
    let maintenance: StoreMaintenance
    let board: CounterBoard
    let clock: ServerClock
    let hub: Inbox<HubRunner>

    func make(
        _ call: AdminCall, _ id: CallID, then answer: @escaping @Sendable (AdminCallAnswer) -> Void
    ) {
        let progress: StoreMaintenance.Progress = { [hub] in hub.enqueue(.event(.progressed(id, $0))) }
        switch call {
        case .counters:
            var counts = board.counts
            counts.newsAge = UInt64(store.bus?.newsAge ?? 0)
            answer(.counted(CounterValues(counts, since: clock.start)))
        case .nodes(let load):
            store.otherNodes { [node] in answer(.nodes($0.map { node.list(load, $0) })) }
        case .deleted(let prefix, let after, let limit):
            store.deleted(prefix: prefix, after: after, limit: limit) { answer(.deleted($0)) }
        case .undelete(let document): store.undelete(document) { answer(.undeleted($0)) }
        case .trim(let document, let revision):
            store.trim(document, through: revision) { answer(.trimmed($0)) }
        case .verify(let document): maintenance.verify(document, progress) { answer(.verified($0)) }
        case .backUp(let time): maintenance.backUp(at: time, progress) { answer(.backedUp($0)) }
        }
    }
}
