import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// A part of a `HandServer` that acts only when the test says so.
protocol HandExecutor: AnyObject {
    var hasWork: Bool { get }
    func turn()
}

/// A server without threads and sockets: its loops, queues, store and clock act only when the test says so.
final class HandServer {
    let clock = HandClock()
    /// What the wall clock shows.
    let wall = Shared<Int64>(1_790_000_000_000)
    /// How often the server has read the clock.
    let clockReads = Shared(0)
    let board = CounterBoard()
    let store = HandStore()
    private(set) var loops: [HandLoop] = []
    private var queues: [(label: String, queue: HandQueue)] = []
    private(set) var switchboard: Switchboard!

    init(
        loops count: Int = 1, roomQueues: Int = 1, limits: Limits = Limits(),
        identity: Identity = .admin, observer: (any StateObserver)? = nil
    ) throws {
        var settings = ServerSettings(name: "caret/test", loops: count, roomQueues: roomQueues)
        settings.limits = limits
        let (clock, wall, clockReads, store) = (clock, wall, clockReads, store)
        let background = makeQueue("background")
        let platform = Platform(
            clock: ServerClock(
                wall: { wall.value },
                steady: {
                    clockReads.change { $0 += 1 }
                    return clock.now
                }),
            makeLoop: { number, refused in
                let loop = HandLoop(number, clock, refused)
                self.loops.append(loop)
                return loop.inbox
            },
            makeQueue: { self.makeQueue($0) }, runInBackground: { background.enqueue($0) })
        switchboard = try Switchboard(
            settings, HandServer.connectionSettings(limits), on: platform, store: store,
            administer: { call, _, answer in answer(call.sampleAnswer) },
            authenticator: OneIdentity(identity: identity), board: board,
            log: LogWriter(format: .json, level: .error, descriptor: -1), observer: observer)
        switchboard.begin()
    }

    private func makeQueue(_ label: String) -> HandQueue {
        let queue = HandQueue()
        queues.append((label, queue))
        return queue
    }

    private static func connectionSettings(_ limits: Limits) -> ConnectionSettings {
        ConnectionSettings(
            limits: limits, server: "caret/test", store: { "k2v9" },
            publicClient: { WireString("p-\($0.client)") }, sessionName: { WireString("s\($0.value)") },
            digest: { push in
                Digest(SIMD4(repeating: push.bytes.reduce(7) { ($0 &* 31) &+ UInt64($1) }))
            })
    }

    // MARK: Calls by tests

    /// The first queue with this label.
    func queue(_ label: String) -> HandQueue {
        guard let found = queues.first(where: { $0.label == label }) else {
            preconditionFailure("there is no queue \(label)")
        }
        return found.queue
    }

    var hub: HandQueue { queue("caret.hub") }
    var rooms: HandQueue { queue("caret.rooms.0") }

    /// Runs all parts until none has work. Alarms do not fire.
    func run() {
        var executors: [any HandExecutor] = [store]
        for (_, queue) in queues { executors.append(queue) }
        for loop in loops { executors.append(loop) }
        while let next = executors.first(where: { $0.hasWork }) { next.turn() }
    }

    /// Fires the alarms whose time has come.
    func fireAlarms() {
        for (_, queue) in queues { queue.fireAlarms(at: clock.now) }
    }

    /// Makes a connection that has not said anything.
    func connected(to loop: Int = 0) -> HandPort {
        let port = HandPort(on: loops[loop])
        port.begin(at: switchboard)
        run()
        return port
    }

    /// Makes a connection that was admitted.
    func greeted(_ client: String) -> HandPort {
        let port = connected()
        port.receive(#"{"type":"hello","protocol":1,"client":"\#(client)"}"#)
        run()
        return port
    }

    /// Releases the parts of the server, which refer to each other. Calls `completion` when the hub and all
    /// rooms are released.
    func close(then completion: @escaping @Sendable () -> Void = {}) {
        switchboard.close(then: completion)
        run()
        for loop in loops { loop.release() }
        switchboard = nil
    }
}

/// Gives every client the same identity.
struct OneIdentity: Authenticator {
    let identity: Identity

    func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        completion(.known(identity))
    }
}
