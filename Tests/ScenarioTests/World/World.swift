import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// Why a run failed.
struct Failure: Error, CustomStringConvertible, Equatable {
    /// The broken law. A smaller plan fails in the same way if it breaks the same law.
    let law: Law
    let what: String
    var time: Int64 = 0
    var step = 0

    var description: String { "\(law.rawValue): \(what) (at \(time / 1_000) ms, step \(step))" }

    static func == (left: Failure, right: Failure) -> Bool { left.law == right.law }
}

/// The laws that every run must keep.
enum Law: String {
    case stream = "a client receives every revision once and in order"
    case text = "every text equals the text in the log at its revision"
    case ownPushes = "a read shows the client's own earlier pushes"
    case commit = "a committed change is a client's push, rebased over the changes since its base"
    case ack = "an acked push is in the log once, at the acked revision"
    case synced = "the server sends no revision that is not on disk"
    case presence = "clients and server have the same selections"
    case rights = "clients read and write only with the right to do so"
    case answer = "every request is answered once"
    case bounds = "the server's memory is bounded"
    case wire = "every line is a valid message"
    case client = "a client handles edits, pushes and views correctly"
    case typedText = "typed text is committed exactly once"
    case completion = "all work ends after all faults have ended"
    case check = "a check matches the text of its revision"
    case following = "a follower receives nothing about a document after its end"
    case copy = "a copy has the text and the tags that its source has at one moment"
    case damage = "a document that is not damaged is never closed as damaged"
    case lock = "a room appends under the store's lock only while other nodes commit too"
    case invariant = "the invariants of every state hold after every event"
}

/// Servers, clients, network and store on one simulated clock, driven by a plan.
///
// @unchecked: one thread does all of a simulated run.
final class World: @unchecked Sendable {
    enum Event {
        case step(Int)
        case turn(SimulatedExecutor)
        case alarm(SimulatedAlarm, Int)
        case deadline(SimulatedPort)
        case up(Link)
        case down(Link)
        case call(StoreJob)
        case answer(() -> Void)
        case timer(() -> Void)
    }

    let plan: Plan
    let dice: Dice
    let limits: Limits
    let fault: PlantedFault
    var agenda = Agenda<Event>()
    /// The simulated time, in microseconds.
    var now: Int64 = 0
    /// The servers over the store, by node. Nil while a node is down.
    var nodes: [ServerRun?]
    var serverRuns = 0
    var store: SimulatedStore
    var machines: [Machine] = []
    var links = 0
    let referee: Referee
    var failure: Failure?
    var step = 0
    /// The number of steps done so far.
    private var performed = 0
    var events = 0
    var trace = Trace64()
    /// Prints all messages.
    var printsMessages = false
    /// The queues and loops that are in the middle of a turn. The last one runs now, and the others are
    /// interrupted.
    var running: [SimulatedExecutor] = []
    /// The number of turns that are interrupted now.
    var interruptions = 0
    /// How often the server's code called `maybeRunOthers`.
    var calls = 0
    /// All faults have ended.
    var isFinishing = false

    init(_ plan: Plan, fault: PlantedFault = PlantedFault()) {
        self.plan = plan
        self.fault = fault
        dice = Dice(plan.seed)
        limits = Limits.tight(plan.seed)
        store = SimulatedStore(Dice(plan.seed))
        referee = Referee(plan)
        nodes = Array(repeating: nil, count: plan.nodes)
        referee.world = self
        fault.world = self
        for node in nodes.indices { start(node) }
        for (index, kind) in plan.clients.enumerated() { machines.append(Machine(index, kind, self)) }
        for index in plan.steps.indices {
            agenda.add(.step(index), at: Int64(plan.steps[index].time) * 1_000)
        }
    }

    /// The wall clock of the server, in milliseconds.
    var time: Int64 { World.epoch + now / 1_000 }
    static let epoch: Int64 = 1_790_000_000_000

    /// The most events that a run may have. Every plan needs far fewer.
    private var mostEvents: Int { plan.nodes * (60_000 + 300 * plan.steps.count) }

    func fail(_ law: Law, _ what: @autoclosure () -> String) {
        if failure != nil { return }
        failure = Failure(law: law, what: what(), time: now, step: step)
    }

    /// Runs the whole plan and waits until all work is done. Returns the failure; nil if there is none.
    func run() -> Failure? {
        for machine in machines { machine.connect() }
        let end = Int64(plan.steps.last?.time ?? 0) * 1_000
        proceed(until: end)
        // Runs the steps that had to wait for the end of an interrupted turn.
        while failure == nil, performed < plan.steps.count { proceed(until: now + 1) }
        if failure == nil { waitUntilIdle() }
        return failure
    }

    func proceed(until end: Int64) {
        while failure == nil, let next = agenda.next, next <= end, let (time, event) = agenda.take() {
            now = max(now, time)
            events += 1
            if events > mostEvents { fail(.completion, "the run does not end after \(events) events") }
            run(event)
        }
        now = max(now, end)
    }

    /// Runs other queues and loops in the middle of a turn. Steps and timers wait until the turn has ended.
    func runOthers(until end: Int64) {
        var waiting: [Event] = []
        while failure == nil, let next = agenda.next, next <= end, let (time, event) = agenda.take() {
            now = max(now, time)
            if mustWait(event) {
                waiting.append(event)
                continue
            }
            events += 1
            run(event)
        }
        now = max(now, end)
        for event in waiting { agenda.add(event, at: now) }
    }

    private func mustWait(_ event: Event) -> Bool {
        switch event {
        case .turn(let executor): executor.isBusy
        case .step, .timer: true
        case .alarm, .deadline, .up, .down, .call, .answer: false
        }
    }

    private func run(_ event: Event) {
        switch event {
        case .step(let index):
            step = index
            performed += 1
            perform(plan.steps[index].operation)
        case .turn(let executor): whileRunning(executor.server, event) { turn(executor) }
        case .alarm(let alarm, let count): whileRunning(alarm.queue.server, event) { alarm.ring(count) }
        case .deadline(let port): whileRunning(port.server, event) { port.deadlineCame() }
        case .up(let link): deliverUp(link)
        case .down(let link): deliverDown(link)
        case .call(let job): execute(job)
        case .answer(let body), .timer(let body): body()
        }
    }

    /// An event of a stopped server waits until the server goes on. An event of a dead server does nothing.
    private func whileRunning(_ server: ServerRun, _ event: Event, _ body: () -> Void) {
        if server.isDead { return }
        if now < server.stoppedUntil { return agenda.add(event, at: server.stoppedUntil) }
        body()
    }

    func after(_ microseconds: Int64, _ body: @escaping () -> Void) {
        agenda.add(.timer(body), at: now + microseconds)
    }
}
