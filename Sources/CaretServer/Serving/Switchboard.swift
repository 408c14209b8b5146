import CaretConcurrency
import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Synchronization

/// Every loop, every queue of rooms and the hub, and the ways between them.
///
/// What one of them sends another arrives in the order in which it was sent, and after whatever caused it.
final class Switchboard: Sendable {
    let clock: ServerClock
    let connectionSettings: ConnectionSettings
    let authenticator: any Authenticator
    let board: CounterBoard
    let log: LogWriter
    let driver: StoreDriver
    let hub = Inbox<HubJob>("caret.hub")
    /// Whether the hub wants to know of every commit.
    let watchesCommits = Atomic(false)
    let lineBudget: Mutex<LineBudget>
    let loops: [Loop]
    /// How many there are that run rooms.
    var roomQueueCount: Int { rooms.queues.count }
    /// By the index of the loop.
    private let readTimes: [ReadTimes]
    private let hosts: [Confined<LoopHost, LoopNumber>]
    private let rooms: RoomQueues

    init(
        _ settings: ServerSettings, _ connectionSettings: ConnectionSettings,
        store: any DocumentStore & TokenStore,
        care: StoreCare, authenticator: any Authenticator, board: CounterBoard, log: LogWriter
    ) throws(SystemFault) {
        clock = ServerClock()
        self.connectionSettings = connectionSettings
        self.authenticator = authenticator
        self.board = board
        self.log = log
        let administration = Administration(store: store, care: care, board: board, clock: clock, hub: hub)
        driver = StoreDriver(store, administration.make)
        lineBudget = Mutex(LineBudget(settings.limits.lineBudget))
        readTimes = (0..<settings.loops).map { _ in ReadTimes() }
        let rooms = RoomQueues(count: settings.roomQueues)
        self.rooms = rooms
        let hosts = (0..<settings.loops).map { [hub] in
            Confined(
                LoopHost($0, of: settings.loops, hub, rooms, board.tally(), log), to: LoopNumber($0))
        }
        self.hosts = hosts
        var loops: [Loop] = []
        for number in 0..<settings.loops {
            var loopSettings = LoopSettings()
            loopSettings.refusal = Switchboard.refusal
            loopSettings.refused = { hosts[number].value(on: $0).noteRefusal() }
            loops.append(try Loop(LoopNumber(number), loopSettings))
        }
        self.loops = loops
    }

    /// What a client gets for whose connection there is no descriptor.
    private static let refusal: [UInt8] = {
        var writer = JSONWriter()
        let report = ErrorReport(
            .overloaded, "the server has as many connections as it may have; try again later")
        report.encode(into: &writer)
        return writer.bytes
    }()

    /// Starts the hub and the rooms.
    func begin() {
        let hub = Confined(HubRunner(self), to: hub.queue)
        self.hub.start { hub.value.run($0) }
        for queue in rooms.queues { queue.start(RoomsRunner(queue, self), on: loops) }
    }

    /// Tells every connection that the server stops, and returns once all of them are closed.
    func drained() async {
        sendToAllConnections(.told(.shuttingDown(retryAfterMilliseconds: nil)))
        await withCheckedContinuation { done in hub.enqueue(.shutDown { done.resume() }) }
        for (loop, host) in zip(loops, hosts) {
            await withCheckedContinuation { done in
                let isPosted = loop.post { host.value(on: $0).whenEmpty { done.resume() } }
                if !isPosted { done.resume() }
            }
        }
    }

    /// Lets go of the hub and of all rooms. The loops must have stopped.
    func ended() async {
        await hub.close()
        for queue in rooms.queues { await queue.close() }
    }

    // MARK: Connections

    /// Makes the shell of a new connection; on its loop.
    func shell(for connection: Connection, at door: Door) -> ConnectionShell {
        let host = hosts[connection.id.loop.rawValue].value(on: connection.sockets)
        connection.sockets.behindEvents = { host.bringToRooms() }
        let shell = host.insert { ConnectionShell($0, connection, at: door, host, self) }
        shell.begin()
        return shell
    }

    func gone(_ connection: ConnectionID, from sockets: Sockets) {
        hosts[loop(of: connection)].value(on: sockets).remove(connection)
    }

    /// The index of a connection's loop.
    func loop(of connection: ConnectionID) -> Int { Int(connection.value % Int64(loops.count)) }

    func readTimes(of connection: ConnectionID) -> ReadTimes { readTimes[loop(of: connection)] }

    func send(_ job: ConnectionJob, to connection: ConnectionID) {
        send(ConnectionJobs(job, for: connection), toLoop: loop(of: connection))
    }

    func send(_ jobs: ConnectionJobs, toLoop loop: Int) {
        let (host, clock) = (hosts[loop], clock)
        loops[loop].post { host.value(on: $0).deliver(jobs, at: clock.time(at: $0.now)) }
    }

    func sendToAllConnections(_ job: ConnectionJob) {
        for (loop, host) in zip(loops, hosts) {
            loop.post { [clock] in host.value(on: $0).deliverToAll(job, at: clock.time(at: $0.now)) }
        }
    }

    // MARK: Rooms

    func send(_ job: RoomJob, to document: DocumentID) { rooms[document].enqueue(job) }

    /// Brings a room the answer to one of its actions.
    func answer(_ room: RoomInstance, _ event: RoomEvent) {
        let queue = rooms[room.document]
        let job = RoomJob.answer(room, event, at: clock.moment)
        if event.isExpensive { queue.enqueueExpensive(job) } else { queue.enqueueOnLastLoop(job) }
    }
}
