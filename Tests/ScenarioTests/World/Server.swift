import CaretLog
import CaretRooms
import CaretServer

/// One life of the server, from a start to a crash or a stop: the real shells, on queues and loops that the world turns.
// @unchecked: one run is one thread's.
final class Server: @unchecked Sendable {
    unowned let world: World
    let life: Int
    private(set) var executors = 0
    var loops: [SimulatedLoop] = []
    private(set) var switchboard: Switchboard!
    /// It accepts no connections any more, and ends when its last connection has.
    var isStopping = false
    /// Whatever is on its way to it comes too late.
    var isDead = false
    /// The rooms as they are while the world rests.
    var rooms: [DocumentID: RoomState] = [:]

    init(_ world: World, life: Int) {
        self.world = world
        self.life = life
    }

    func begin(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        switchboard.begin()
    }

    /// Numbers the queues and loops, each of which has delays of its own.
    func nextExecutor() -> Int {
        executors += 1
        return executors
    }

    /// Breaks the cycles of references. To be done once it is dead.
    func close() {
        for loop in loops { loop.close() }
        switchboard.close {}
    }
}
