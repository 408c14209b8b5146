import CaretConcurrency
package import CaretConfig
import CaretCore
package import CaretLog
package import CaretRooms
package import CaretWeb
import CaretWire
import Synchronization

/// Connects the loops, the queues of rooms and the hub.
///
/// Messages from one of them to another arrive in the order of sending. If a room
/// sends jobs to a connection and to the hub, the hub's reaction reaches the connection after those jobs.
package final class Switchboard: Sendable {
    let clock: ServerClock
    /// The settings of the rooms and the hub. They never change.
    let connectionSettings: ConnectionSettings
    /// The settings of new connections. A reload replaces them.
    private let newConnections: Mutex<WebSettings>
    let authenticator: any Authenticator
    private let proxies: Set<SocketAddress>
    let board: CounterBoard
    let log: LogWriter
    let store: WatchedStore
    let administer: Administer
    /// Nil if no other server uses the store.
    let bus: (any NodeBus)?
    let node: ServerNode
    let texts: TextCache
    let encoder: TextEncoder
    let runInBackground: @Sendable (@escaping Platform.Block) -> Void
    let observer: (any StateObserver)?
    package let hub: Inbox<HubRunner>
    /// True if rooms must notify the hub of each commit.
    let watchesCommits = Atomic(false)
    let lineBudget: Mutex<LineBudget>
    let outputBudget: OutputBudget
    let loops: [any ConnectionLoop]
    /// How many queues run rooms.
    var roomQueueCount: Int { rooms.queues.count }
    /// Indexed by loop.
    private let readTimes: [ReadTimes]
    private let hosts: [Confined<LoopHost, LoopNumber>]
    private let rooms: RoomQueues

    package init(
        _ settings: ServerSettings, _ connectionSettings: ConnectionSettings, on platform: Platform,
        store: any DocumentStore, administer: @escaping Administer, bus: (any NodeBus)? = nil,
        authenticator: any Authenticator, board: CounterBoard,
        log: LogWriter,
        observer: (any StateObserver)? = nil
    ) throws(SystemFault) {
        // Other servers do not report their writes in time, so texts are not kept then.
        let texts = TextCache(limit: bus == nil ? settings.limits.textCache : 0)
        let outputBudget = OutputBudget(settings.limits.outputBudget) { texts.textBytes }
        let connectionSettings = connectionSettings.with { outputBudget.isUsedUp }
        (self.texts, self.outputBudget) = (texts, outputBudget)
        clock = platform.clock
        node = ServerNode(settings, started: platform.clock.start)
        self.connectionSettings = connectionSettings
        newConnections = Mutex(
            WebSettings(
                connectionSettings, siteGuard: settings.siteGuard, proxySignIn: settings.proxySignIn,
                assistant: AssistantAnswers(caretVersion: Version.number),
                files: BrowserFiles.byPath(tokenPath: settings.pageTokenPath),
                sha1: { SHA1.digest(of: $0) },
                makeClientID: {
                    let bits = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
                    return WireString("http-\(bits[0])\(bits[1])")
                }))
        self.authenticator = authenticator
        proxies = settings.proxies
        self.board = board
        self.log = log
        self.observer = observer
        runInBackground = platform.runInBackground
        encoder = TextEncoder(outputBudget, board.makeCounters(), platform.runInBackground)
        lineBudget = Mutex(LineBudget(settings.limits.lineBudget))
        readTimes = (0..<settings.loops).map { _ in ReadTimes() }
        let hub = Inbox<HubRunner>(platform.makeQueue("caret.hub"))
        self.hub = hub
        self.bus = bus
        self.store = WatchedStore(store, texts.writes)
        self.administer = administer
        let rooms = RoomQueues(count: settings.roomQueues, platform.makeQueue)
        self.rooms = rooms
        let hosts = (0..<settings.loops).map {
            Confined(
                LoopHost(
                    $0, of: settings.loops, hub, rooms, texts, outputBudget,
                    board.makeCounters(), log),
                to: LoopNumber($0))
        }
        self.hosts = hosts
        var loops: [any ConnectionLoop] = []
        for number in 0..<settings.loops {
            loops.append(
                try platform.makeLoop(LoopNumber(number)) { hosts[number].value(on: $0).reportRefusal() })
        }
        self.loops = loops
    }

    /// Starts the hub and the rooms.
    package func begin() {
        hub.start(HubRunner(self))
        bus?.listen { [hub] in hub.enqueue(.event(.bus($0))) }
        for queue in rooms.queues { queue.start(RoomsRunner(queue, self), on: loops) }
    }

    /// Uses the limits and the site guard of these settings for new connections. Open connections keep
    /// theirs, because `welcome` has announced the limits to their clients.
    package func reload(_ settings: ServerSettings) {
        newConnections.withLock { $0 = $0.with(settings.limits, settings.siteGuard) }
        lineBudget.withLock { $0.setLimit(settings.limits.lineBudget) }
        outputBudget.setLimit(settings.limits.outputBudget)
        hub.enqueue(.event(.signInChanged(keys: settings.signingKeys, guests: settings.guests)))
    }

    /// Notifies all connections that the server stops, and calls `completion` once all of them are closed.
    package func drain(then completion: @escaping @Sendable () -> Void) {
        sendToAllConnections(.hubSent(.shuttingDown(retryAfterMilliseconds: nil)))
        hub.enqueue(.shutDown { [self] in whenEmpty(loops[...], completion) })
    }

    /// Calls `completion` once the last connection of these loops has ended.
    private func whenEmpty(
        _ loops: ArraySlice<any ConnectionLoop>, _ completion: @escaping @Sendable () -> Void
    ) {
        guard let loop = loops.first else { return completion() }
        let (host, others) = (hosts[loops.startIndex], loops.dropFirst())
        let isPosted = loop.send { [self] in
            host.value(on: $0).whenEmpty { self.whenEmpty(others, completion) }
        }
        if !isPosted { whenEmpty(others, completion) }
    }

    /// Releases the hub and all rooms, and calls `completion`. The loops must have stopped.
    package func close(then completion: @escaping @Sendable () -> Void) {
        hub.close { [self] in close(rooms.queues[...], completion) }
    }

    private func close(
        _ queues: ArraySlice<LoopFirstQueue<RoomsRunner>>, _ completion: @escaping @Sendable () -> Void
    ) {
        guard let queue = queues.first else { return completion() }
        queue.close { [self] in close(queues.dropFirst(), completion) }
    }

    // MARK: Connections

    var settingsOfNewConnection: WebSettings { newConnections.withLock { $0 } }

    /// Makes the shell of a new connection. `web` is nil if the listener serves no HTTP, and `tls` if it has no
    /// certificate. Call this on the connection's loop.
    package func shell(
        for connection: any ConnectionPort, at listenerKind: ListenerKind, web: SiteGuard.Listener? = nil,
        tls: ListenerTLS? = nil
    ) -> ConnectionShell {
        let host = hosts[connection.loop.number.rawValue].value(on: connection.loop)
        connection.loop.afterEvents = { host.endEvents() }
        let web = web == .tcp && isProxy(listenerKind) ? .proxy : web
        let shell = host.insert {
            ConnectionShell($0, connection, at: listenerKind, web: web, tls: tls, host, self)
        }
        shell.begin()
        return shell
    }

    private func isProxy(_ client: ListenerKind) -> Bool {
        switch client {
        case .address(let address): !proxies.isEmpty && proxies.contains(address.machine)
        case .adminSocket: false
        }
    }

    func remove(_ connection: ConnectionID, from loop: any LoopContext) {
        hosts[self.loop(of: connection)].value(on: loop).remove(connection)
    }

    /// The index of the loop that serves a connection.
    func loop(of connection: ConnectionID) -> Int { Int(connection.value % Int64(loops.count)) }

    package func readTimes(of connection: ConnectionID) -> ReadTimes { readTimes[loop(of: connection)] }

    func send(_ job: ConnectionJob, to connection: ConnectionID) {
        send(ConnectionJobs(job, for: connection), toLoop: loop(of: connection))
    }

    func send(_ jobs: ConnectionJobs, toLoop loop: Int) {
        let (host, clock) = (hosts[loop], clock)
        loops[loop].send { host.value(on: $0).deliver(jobs, at: clock.time(at: $0.now)) }
    }

    func sendToAllConnections(_ job: ConnectionJob) {
        for (loop, host) in zip(loops, hosts) {
            loop.send { [clock] in host.value(on: $0).deliverToAll(job, at: clock.time(at: $0.now)) }
        }
    }

    // MARK: Rooms

    package func send(_ job: RoomJob, to document: DocumentID) { rooms[document].enqueue(job) }

    /// Sends a room the answer to one of its actions.
    func answer(_ room: RoomInstance, _ event: RoomEvent) {
        let queue = rooms[room.document]
        let job = RoomJob.answer(room, event, at: clock.moment)
        if event.isExpensive { queue.enqueueExpensive(job) } else { queue.enqueueOnLastLoop(job) }
    }
}
