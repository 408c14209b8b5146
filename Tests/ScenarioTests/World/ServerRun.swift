import CaretLog
import CaretRooms
import CaretServer

/// One run of the server, from a start to a crash or a stop. It runs the code of the real server around the
/// state machines, but queues, loops and sockets are simulated.
// @unchecked: one thread does all of a simulated run.
final class ServerRun: @unchecked Sendable {
    unowned let world: World
    let node: Int
    /// How the other servers call this run.
    let id: NodeID
    private var executors = 0
    var loops: [SimulatedLoop] = []
    private(set) var switchboard: Switchboard!
    /// The server is stopping. It ends when its last connection has ended.
    var isStopping = false
    /// The server has ended. It ignores everything that still arrives.
    var isDead = false
    /// The server's process is stopped until this time, and goes on then as if nothing had happened.
    var stoppedUntil: Int64 = 0
    /// How this server tells the others what it has done; nil if only this one writes to the store.
    private(set) var bus: SimulatedBus?
    /// The documents whose last append under the store's lock missed nothing.
    var needsNoLock: Set<DocumentID> = []
    /// Copies of the rooms, made after all faults have ended.
    var rooms: [DocumentID: RoomState] = [:]

    init(_ world: World, _ node: Int) {
        (self.world, self.node) = (world, node)
        id = NodeID(node: Int64(node), run: UInt64(world.serverRuns))
        bus = world.plan.sharesStore ? SimulatedBus(self) : nil
    }

    func begin(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        switchboard.begin()
    }

    /// The number of the next queue or loop. The delays of the queue or loop depend on it.
    func nextExecutor() -> Int {
        executors += 1
        return 100 * node + executors
    }

    /// Breaks the reference cycles of a dead server.
    func close() {
        for loop in loops { loop.close() }
        switchboard.close {}
    }
}
