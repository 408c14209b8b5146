import CaretLog
import CaretRooms
import CaretServer
import CaretTLS
import CaretWeb
import Synchronization
import TestSupport

/// A store in memory, which answers each call in a turn of its own.
final class HandStore: HandExecutor, DocumentStore {
    private let model = Mutex(StoreModel(generation: 1))
    private let waiting = Shared<[(call: StoreCall, answer: @Sendable (StoreAnswer) -> Void)]>([])
    /// While it is true, `HandServer.run` leaves the calls unanswered.
    let isHeld = Shared(false)

    var hasWork: Bool { !isHeld.value && waitingCalls > 0 }
    var waitingCalls: Int { waiting.value.count }

    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        waiting.change { $0.append((call, answer)) }
    }

    /// Answers the call that has waited longest.
    func turn() {
        let (call, answer) = waiting.value[0]
        waiting.change { $0.removeFirst() }
        answer(model.withLock { $0.answer(call) })
    }
}

/// A queue that runs one block in each turn.
final class HandQueue: HandExecutor, WorkQueue {
    private let blocks = Shared<[@Sendable () -> Void]>([])
    /// How many blocks were enqueued so far.
    let enqueued = Shared(0)
    let alarms = Shared<[HandAlarm]>([])

    var hasWork: Bool { !blocks.value.isEmpty }

    func enqueue(_ block: @escaping @Sendable () -> Void) {
        enqueued.change { $0 += 1 }
        blocks.change { $0.append(block) }
    }

    func makeAlarm(_ passed: @escaping @Sendable () -> Void) -> any QueueAlarm {
        let alarm = HandAlarm(passed)
        alarms.change { $0.append(alarm) }
        return alarm
    }

    func turn() {
        let block = blocks.value[0]
        blocks.change { $0.removeFirst() }
        block()
    }

    func fireAlarms(at now: Moment) {
        for alarm in alarms.value where alarm.hasPassed(by: now) { enqueue(alarm.passed) }
    }
}

/// An alarm that remembers how it was set.
final class HandAlarm: QueueAlarm, Sendable {
    let passed: @Sendable () -> Void
    /// All times for which it was set.
    let settings = Shared<[Moment?]>([])
    private let due = Shared<Moment?>(nil)

    init(_ passed: @escaping @Sendable () -> Void) { self.passed = passed }

    func set(for moment: Moment?) {
        settings.change { $0.append(moment) }
        due.change { $0 = moment }
    }

    func cancel() { due.change { $0 = nil } }

    /// Whether its time has passed. Returns true only once.
    func hasPassed(by now: Moment) -> Bool {
        guard let moment = due.value, moment <= now else { return false }
        cancel()
        return true
    }
}

/// The jobs that others send to a `HandLoop`.
final class HandInbox: ConnectionLoop {
    typealias Job = @Sendable (any LoopContext) -> Void

    private let jobs = Shared<[Job]>([])

    var isEmpty: Bool { jobs.value.isEmpty }

    @discardableResult
    func send(_ job: @escaping Job) -> Bool {
        jobs.change { $0.append(job) }
        return true
    }

    func takeAll() -> [Job] {
        let all = jobs.value
        jobs.change { $0 = [] }
        return all
    }
}

/// A loop whose turns have the order of real turns: an event, jobs, rooms, new jobs, ended connections.
final class HandLoop: HandExecutor, LoopContext {
    let number: LoopNumber
    let inbox = HandInbox()
    private(set) var now: Moment
    var afterEvents: (() -> Void)?
    private let clock: HandClock
    private let refused: @Sendable (any LoopContext) -> Void
    private var laterJobs: [(moment: Moment, job: HandInbox.Job)] = []
    private var ports: [HandPort] = []

    init(_ number: LoopNumber, _ clock: HandClock, _ refused: @escaping @Sendable (any LoopContext) -> Void) {
        self.number = number
        self.clock = clock
        self.refused = refused
        now = clock.now
    }

    var hasWork: Bool {
        !inbox.isEmpty || ports.contains { $0.hasNews } || laterJobs.contains { $0.moment <= clock.now }
    }

    func turn() { turn {} }

    func turn(_ event: () -> Void) {
        now = clock.now
        event()
        for job in inbox.takeAll() + takeDueJobs() { job(self) }
        afterEvents?()
        for job in inbox.takeAll() { job(self) }
        for port in ports { port.reportNews() }
        afterEvents?()
    }

    func run(at moment: Moment, _ job: @escaping @Sendable (any LoopContext) -> Void) {
        laterJobs.append((moment, job))
    }

    private func takeDueJobs() -> [HandInbox.Job] {
        let due = laterJobs.filter { $0.moment <= now }
        laterJobs.removeAll { $0.moment <= now }
        return due.map(\.job)
    }

    func add(_ port: HandPort) { ports.append(port) }

    /// Reports a connection for which no descriptor was free.
    func refuse() { refused(self) }

    func release() {
        ports = []
        afterEvents = nil
    }
}

/// The socket of a connection to a `HandServer`. It accepts all output at once.
final class HandPort: ConnectionPort {
    private let handLoop: HandLoop
    private var shell: ConnectionShell?
    private var closeReason: CloseReason?
    private var unwrittenBytes = 0
    /// All bytes that were sent to the client and by the client.
    private(set) var (output, input) = ("", "")
    /// Whether `payloads` gets all further payloads.
    var keepsPayloads = false
    var payloads: [Payload] = []
    var deadline: Moment?

    init(on loop: HandLoop) { handLoop = loop }

    /// Never called, because the listeners of a `HandServer` have no certificate.
    func startTLS(_ context: TLSServerContext) {
        preconditionFailure("a connection to a HandServer begins TLS")
    }

    var agreedProtocol: ApplicationProtocol? { nil }

    var loop: any LoopContext { handLoop }

    func begin(at switchboard: Switchboard) {
        handLoop.add(self)
        handLoop.turn { shell = switchboard.shell(for: self, at: .adminSocket, web: .adminSocket) }
    }

    var id: ConnectionID? { shell?.id }

    // MARK: Events

    /// A line arrives from the client.
    func receive(_ line: String) {
        input += line + "\n"
        handLoop.turn {
            _ = Array((line + "\n").utf8).withUnsafeBytes { shell?.received($0, on: self) }
        }
    }

    /// A request arrives from the client.
    func request(_ line: String, _ fields: String...) {
        let text = ([line + " HTTP/1.1", "Host: localhost"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        handLoop.turn { _ = Array(text.utf8).withUnsafeBytes { shell?.received($0, on: self) } }
    }

    /// The client opens the document `a`, which is created if necessary.
    func open() { receive(#"{"type":"open","doc":"a","create":true}"#) }

    /// The client inserts a text at the start of the document, which makes the revision `seq`.
    func push(_ seq: Int, _ text: String = "x") {
        let edit = #"{"range":[0,0],"text":"\#(text)"}"#
        receive(
            #"{"type":"push","doc":"a","epoch":"1.1","base":\#(seq - 1),"seq":\#(seq),"edits":[\#(edit)]}"#)
    }

    /// The client is gone.
    func lose() {
        closeReason = .lost(SystemFault("recv", code: 104))
        handLoop.turn()
    }

    var hasNews: Bool { shell != nil && (unwrittenBytes > 0 || closeReason != nil) }

    func reportNews() {
        guard hasNews, let shell else { return }
        if let closeReason {
            self.shell = nil
            shell.closed(closeReason, on: self)
        } else {
            let bytes = unwrittenBytes
            unwrittenBytes = 0
            shell.wrote(bytes, on: self)
        }
    }

    // MARK: Calls by the server

    func send(_ payload: Payload) {
        output += String(decoding: payload.bytes, as: UTF8.self)
        unwrittenBytes += payload.bytes.count
        if keepsPayloads { payloads.append(payload) }
    }

    func pauseReading() {}

    func resumeReading() {}

    func endOutput() {}

    func close() { closeReason = closeReason ?? .closedByHandler }
}
