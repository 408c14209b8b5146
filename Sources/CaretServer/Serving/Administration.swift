import CaretConfig
import CaretLog
package import CaretRooms
package import CaretWire

/// Does what an administrator asks of the server. Calls `answer` once, and `progressed` any number of times before.
package typealias Administer =
    @Sendable (
        AdminCall, _ progressed: @escaping @Sendable (MaintenanceProgress) -> Void,
        _ answer: @escaping @Sendable (AdminCallAnswer) -> Void
    ) -> Void

/// Does what an administrator asks of a server over any store.
struct Administration: Sendable {
    let store: any ServedStore
    let node: ServerNode
    let maintenance: StoreMaintenance
    let board: CounterBoard
    let clock: ServerClock

    func perform(
        _ call: AdminCall, _ progressed: @escaping @Sendable (MaintenanceProgress) -> Void,
        _ answer: @escaping @Sendable (AdminCallAnswer) -> Void
    ) {
        Task {
            switch call {
            case .counters: answer(.counted(CounterValues(counts, since: clock.start)))
            case .nodes(let load): answer(.nodes(await store.otherNodes().map { node.list(load, $0) }))
            case .verify(let document): answer(.verified(await maintenance.verify(document, progressed)))
            case .backUp(let time): answer(.backedUp(await maintenance.backUp(at: time, progressed)))
            }
        }
    }

    private var counts: Counts {
        var counts = board.counts
        counts.unsentAge = UInt64(store.bus?.unsentAge ?? 0)
        return counts
    }
}
