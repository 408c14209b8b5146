import CaretLog
import CaretRooms
import CaretServer

/// One life of the server, from a start to a crash or a stop: the real shells, on simulated queues and loops.
// @unchecked: one thread does all of a simulated run.
final class ServerLife: @unchecked Sendable {
    unowned let world: World
    private var executors = 0
    var loops: [SimulatedLoop] = []
    private(set) var switchboard: Switchboard!
    /// It ends when its last connection has ended.
    var isStopping = false
    /// It ignores whatever is still on its way to it.
    var isDead = false
    /// Copies of the rooms, once all faults have ended.
    var rooms: [DocumentID: RoomState] = [:]

    init(_ world: World) { self.world = world }

    func begin(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        switchboard.begin()
    }

    /// The number of the next queue or loop. Its delays depend on it.
    func nextExecutor() -> Int {
        executors += 1
        return executors
    }

    /// Breaks the reference cycles of a dead server.
    func close() {
        for loop in loops { loop.close() }
        switchboard.close {}
    }
}
