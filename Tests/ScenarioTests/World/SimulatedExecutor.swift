import CaretServer

/// A point of the server's steady clock.
typealias ServerMoment = CaretServer.Moment

/// A queue or a loop of the simulated server. It runs a turn when its event on the agenda is due.
class SimulatedExecutor {
    unowned let world: World
    unowned let server: ServerRun
    let index: Int
    /// Whether its next turn is on the agenda.
    var isAwake = false
    /// Whether its turn is running. Other queues and loops may run in the middle of this turn.
    var isBusy = false

    init(_ server: ServerRun) {
        self.server = server
        world = server.world
        index = server.nextExecutor()
    }

    var hasWork: Bool { false }

    func turn() {}
}

/// A dispatch queue: its blocks run one at a time, and in order.
// @unchecked: one thread does all of a simulated run.
final class SimulatedQueue: SimulatedExecutor, WorkQueue, @unchecked Sendable {
    let isHub: Bool
    private var blocks = SerialQueue<@Sendable () -> Void>()

    init(_ server: ServerRun, label: String) {
        isHub = label == "caret.hub"
        super.init(server)
    }

    override var hasWork: Bool { !blocks.isEmpty }

    func enqueue(_ block: @escaping @Sendable () -> Void) {
        // On a dead server, only blocks that release its objects are enqueued. They run at once.
        if server.isDead { return block() }
        blocks.append(block)
        world.wake(self)
        world.maybeRunOthers()
    }

    func makeAlarm(_ passed: @escaping @Sendable () -> Void) -> any QueueAlarm {
        SimulatedAlarm(self, passed)
    }

    override func turn() { blocks.next()?() }
}

final class SimulatedAlarm: QueueAlarm {
    let queue: SimulatedQueue
    let passed: @Sendable () -> Void
    /// How often the alarm was set or cancelled. The alarm ignores agenda entries with an earlier count.
    private(set) var count = 0

    init(_ queue: SimulatedQueue, _ passed: @escaping @Sendable () -> Void) {
        (self.queue, self.passed) = (queue, passed)
    }

    func set(for moment: ServerMoment?) {
        count += 1
        guard let moment, !queue.server.isDead else { return }
        queue.world.schedule(self, at: moment)
    }

    func cancel() { count += 1 }

    func ring(_ count: Int) { if count == self.count { queue.enqueue(passed) } }
}

/// A simulated event loop. Its turn has the order of a real turn: socket events, jobs, rooms, new jobs,
/// closed connections.
// @unchecked: one thread does all of a simulated run.
final class SimulatedLoop: SimulatedExecutor, ConnectionLoop, LoopContext, @unchecked Sendable {
    enum SocketEvent {
        case accepted
        case received([UInt8])
        /// The connection may read again.
        case resumed
        case inputEnded
        case wrote(Int)
        case lost
        case deadline
    }

    let number: LoopNumber
    private(set) var now: ServerMoment
    var afterEvents: (() -> Void)?
    private var events = SerialQueue<(port: SimulatedPort, event: SocketEvent)>()
    private var jobs = SerialQueue<@Sendable (any LoopContext) -> Void>()
    private var ended: [(port: SimulatedPort, reason: CloseReason)] = []
    private var ports: [SimulatedPort] = []
    /// When the last delayed job will be enqueued.
    private var late: Int64 = 0

    init(_ number: LoopNumber, _ server: ServerRun) {
        self.number = number
        now = server.world.moment
        super.init(server)
    }

    override var hasWork: Bool { !events.isEmpty || !jobs.isEmpty || !ended.isEmpty }

    func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool {
        if server.isDead { return false }
        if world.fault.notifiesHubFirst, !isSentByHub {
            enqueueLate(job)
        } else {
            enqueue(job)
        }
        world.maybeRunOthers()
        return true
    }

    func run(at moment: ServerMoment, _ job: @escaping @Sendable (any LoopContext) -> Void) {
        world.agenda.add(
            .answer { [self] in if !server.isDead { enqueue(job) } }, at: world.microseconds(of: moment))
    }

    private func enqueue(_ job: @escaping @Sendable (any LoopContext) -> Void) {
        jobs.append(job)
        world.wake(self)
    }

    /// Whether the hub sends this job. Also true for jobs that no executor sends, such as the result of a
    /// token lookup: these are not delayed either.
    private var isSentByHub: Bool {
        guard let sender = world.running.last else { return true }
        return (sender as? SimulatedQueue)?.isHub ?? false
    }

    /// Delays a job long enough for messages of the hub to overtake it. Delayed jobs keep their order.
    private func enqueueLate(_ job: @escaping @Sendable (any LoopContext) -> Void) {
        late = max(late, world.now + 5_000)
        world.agenda.add(.answer { [self] in if !server.isDead { enqueue(job) } }, at: late)
    }

    func post(_ event: SocketEvent, to port: SimulatedPort) {
        if server.isDead { return }
        events.append((port, event))
        world.wake(self)
    }

    func add(_ port: SimulatedPort) { ports.append(port) }

    func ended(_ port: SimulatedPort, _ reason: CloseReason) {
        ports.removeAll { $0 === port }
        ended.append((port, reason))
    }

    override func turn() {
        now = world.moment
        // Limits the events of one turn, so that further events wait for the next turn.
        let most = world.dice.roll(.pause, number.rawValue, at: world.now).peek(1...6)
        for _ in 0..<most { if let (port, event) = events.next() { port.happened(event) } }
        runJobs()
        afterEvents?()
        runJobs()
        notifyEnded()
        afterEvents?()
    }

    private func runJobs() {
        var jobs = self.jobs
        self.jobs = SerialQueue()
        while let job = jobs.next() { job(self) }
    }

    private func notifyEnded() {
        let list = ended
        ended = []
        for (port, reason) in list { port.notifyClosed(reason) }
    }

    /// Closes the connections of a dead server, without sending a message to the clients.
    func close() {
        for port in ports { port.end(.loopStopped) }
        notifyEnded()
        afterEvents = nil
        jobs = SerialQueue()
        events = SerialQueue()
    }
}
