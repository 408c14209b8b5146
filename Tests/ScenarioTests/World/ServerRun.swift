import CaretLog
import CaretRooms
import CaretServer

/// One run of the server, from a start to a crash or a stop. It runs the code of the real server around the
/// state machines, but queues, loops and sockets are simulated.
// @unchecked: one thread does all of a simulated run.
final class ServerRun: @unchecked Sendable {
    unowned let world: World
    private var executors = 0
    var loops: [SimulatedLoop] = []
    private(set) var switchboard: Switchboard!
    /// The server is stopping. It ends when its last connection has ended.
    var isStopping = false
    /// The server has ended. It ignores everything that still arrives.
    var isDead = false
    /// Copies of the rooms, made after all faults have ended.
    var rooms: [DocumentID: RoomState] = [:]

    init(_ world: World) { self.world = world }

    func begin(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        switchboard.begin()
    }

    /// The number of the next queue or loop. The delays of the queue or loop depend on it.
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
