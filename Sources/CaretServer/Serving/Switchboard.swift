import CaretConcurrency
import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Synchronization

/// Who is where: every loop, every queue of rooms and the hub, and the ways between them.
///
/// What one of them tells another comes in the order in which it was told, and behind what made it be told.
final class Switchboard: Sendable {
    let clock: ServerClock
    let connectionSettings: ConnectionSettings
    let doorman: any Doorman
    let board: CounterBoard
    let log: LogWriter
    let store: any DocumentStore & TokenStore
    let care: StoreCare
    let hub = Inbox<HubJob>("caret.hub")
    /// Whether the hub wants to know of every commit.
    let watchesCommits = Atomic(false)
    let lineBudget: Mutex<LineBudget>
    let loops: [Loop]
    /// How many there are that run rooms.
    var roomQueueCount: Int { rooms.queues.count }
    private let hosts: [Confined<LoopHost, LoopNumber>]
    private let rooms: RoomQueues

    init(
        _ settings: ServerSettings, _ connectionSettings: ConnectionSettings,
        store: any DocumentStore & TokenStore,
        care: StoreCare, doorman: any Doorman, board: CounterBoard, log: LogWriter
    ) throws(SystemFault) {
        clock = ServerClock()
        self.connectionSettings = connectionSettings
        self.doorman = doorman
        self.store = store
        self.care = care
        self.board = board
        self.log = log
        lineBudget = Mutex(LineBudget(settings.limits.lineBudget))
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

    /// What somebody is sent for whom there is no descriptor.
    private static let refusal: [UInt8] = {
        var writer = JSONWriter()
        let report = ErrorReport(
            .overloaded, "the server has as many connections as it may have; try again later")
        report.encode(into: &writer)
        return writer.bytes
    }()

    /// Begins to do what is told to the hub and to rooms.
    func begin() {
        let hub = Confined(HubRunner(self), to: hub.queue)
        self.hub.start { hub.value.run($0) }
        for queue in rooms.queues { queue.start(RoomsRunner(queue, self), on: loops) }
    }

    /// Tells everybody that the server stops, and comes back once all have been told all.
    func drained() async {
        tellAllConnections(.told(.shuttingDown(retryAfterMilliseconds: nil)))
        await withCheckedContinuation { done in hub.enqueue(.shutDown { done.resume() }) }
        for (loop, host) in zip(loops, hosts) {
            await withCheckedContinuation { done in
                let isPosted = loop.post { host.value(on: $0).whenEmpty { done.resume() } }
                if !isPosted { done.resume() }
            }
        }
    }

    /// Lets go of the hub and of all rooms, whom nobody tells anything any more.
    func ended() async {
        await hub.close()
        for queue in rooms.queues { await queue.close() }
    }

    // MARK: Connections

    /// Makes what stands behind a new connection; on its loop.
    func shell(for connection: Connection, at door: Door) -> ConnectionShell {
        let host = hosts[connection.id.loop.rawValue].value(on: connection.sockets)
        connection.sockets.behindEvents = { host.tellRooms() }
        let shell = host.insert { ConnectionShell($0, connection, at: door, host, self) }
        shell.begin()
        return shell
    }

    func gone(_ connection: ConnectionID, from sockets: Sockets) {
        hosts[loop(of: connection)].value(on: sockets).remove(connection)
    }

    /// On which loop a connection is.
    func loop(of connection: ConnectionID) -> Int { Int(connection.value % Int64(loops.count)) }

    func tell(_ connection: ConnectionID, _ job: ConnectionJob) {
        tell(loop: loop(of: connection), ConnectionJobs(job, for: connection))
    }

    func tell(loop: Int, _ jobs: ConnectionJobs) {
        let (host, clock) = (hosts[loop], clock)
        loops[loop].post { host.value(on: $0).take(jobs, at: clock.time(at: $0.now)) }
    }

    func tellAllConnections(_ job: ConnectionJob) {
        for (loop, host) in zip(loops, hosts) {
            loop.post { [clock] in host.value(on: $0).tellAll(job, at: clock.time(at: $0.now)) }
        }
    }

    // MARK: Rooms

    func tell(_ document: DocumentID, _ job: RoomJob) { rooms[document].enqueue(job) }

    func answer(_ place: RoomPlace, _ answer: RoomAnswer) {
        rooms[place.document].enqueueOnLastLoop(.answer(place, answer))
    }
}
