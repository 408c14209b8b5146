import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// The servers: their real shells, on queues and loops that the agenda runs.
extension World {
    // MARK: Starting and ending a server

    func start(_ node: Int) {
        serverRuns += 1
        let server = ServerRun(self, node)
        var random = Seeded(plan.seed ^ 0x5E12)
        var settings = ServerSettings(
            name: "caret/simulated", loops: random.number(1...3), roomQueues: random.number(1...2))
        settings.limits = limits
        settings.limits.textCache = keepsTexts ? random.pick([3_000, 64 << 20]) : 0
        do {
            server.begin(
                try Switchboard(
                    settings, connectionSettings, on: platform(of: server),
                    store: SimulatedCaller(server),
                    administer: { call, _, answer in answer(call.sampleAnswer) },
                    bus: server.bus,
                    authenticator: SimulatedAuthenticator(server),
                    board: CounterBoard(),
                    log: LogWriter(format: .json, level: .error, descriptor: -1),
                    observer: Observer(server)))
        } catch {
            preconditionFailure("a simulated loop cannot fail: \(error)")
        }
        nodes[node] = server
    }

    /// Another node does not notify this server of its writes, so this server must not keep texts then.
    private var keepsTexts: Bool { plan.nodes == 1 && !plan.hasOtherNode }

    private func platform(of server: ServerRun) -> Platform {
        Platform(
            clock: ServerClock(wall: { World.epoch }, steady: { [unowned self] in clockRead() }),
            makeLoop: { number, _ in
                let loop = SimulatedLoop(number, server)
                server.loops.append(loop)
                return loop
            },
            makeQueue: { SimulatedQueue(server, label: $0) },
            runInBackground: { [unowned self] in runInBackground($0, server) })
    }

    private var connectionSettings: ConnectionSettings {
        let run = serverRuns
        return ConnectionSettings(
            limits: limits, server: "caret/simulated", store: { "t" },
            publicClient: { Names.publicClient($0) },
            sessionName: { WireString("s\(run)-\($0.value)") }, digest: { Digest(of: $0.bytes) })
    }

    /// The first bytes of a link have reached the server.
    func accept(_ link: Link, _ server: ServerRun) {
        let loop = server.loops[link.number % server.loops.count]
        let port = SimulatedPort(link, loop)
        link.port = port
        port.post(.accepted)
    }

    /// Kills a server. Everything that is not on disk is lost, except writes that the store already has.
    func crash(_ server: ServerRun) {
        if server.isDead { return }
        server.isDead = true
        nodes[server.node] = nil
        for job in store.forgetCalls(of: server, at: now) {
            if plan.nodes == 1 {
                job.run()
            } else {
                after(dice.delay(.loss, job.number, at: now)) { job.run() }
            }
        }
        if fault.losesLastAppend, let before = store.stateBeforeLastAppend { store.model = before }
        for machine in machines { machine.serverIsGone(server) }
        server.close()
        after(Int64(dice.roll(.reconnect, serverRuns, at: now).peek(20_000...200_000))) { [unowned self] in
            if nodes[server.node] == nil { start(server.node) }
        }
    }

    /// A server that runs now, for a client that connects or a step that needs a server; nil if none runs.
    func runningServer(for subject: Int) -> ServerRun? {
        let running = nodes.compactMap { $0 }
        return running.isEmpty
            ? nil : running[dice.roll(.node, subject, at: now).peek(0...running.count - 1)]
    }

    func shutDown(_ server: ServerRun) {
        if server.isStopping { return }
        server.isStopping = true
        server.switchboard.drain { [unowned self] in
            // The last lines are still on their way to the clients, so the server ends a little later.
            after(5_000) { [unowned self] in crash(server) }
        }
        // 30 seconds are enough for the server to drop the connections that read nothing, and for the store
        // to answer.
        after(30_000_000) { [unowned self] in
            if !server.isDead { fail(.completion, "the server has not stopped 30 seconds after a shutdown") }
        }
    }

    // MARK: Time

    var moment: ServerMoment { ServerMoment(nanoseconds: UInt64(now) * 1_000 + World.boot) }
    /// The uptime of the machine when the world begins, in nanoseconds.
    private static let boot: UInt64 = 1_000_000_000

    private func clockRead() -> ServerMoment {
        maybeRunOthers()
        return moment
    }

    func microseconds(of moment: ServerMoment) -> Int64 {
        max(now, Int64((max(moment.nanoseconds, World.boot) - World.boot) / 1_000))
    }

    func schedule(_ alarm: SimulatedAlarm, at moment: ServerMoment) {
        agenda.add(.alarm(alarm, alarm.count), at: microseconds(of: moment))
    }

    func schedule(_ port: SimulatedPort, at moment: ServerMoment) {
        agenda.add(.deadline(port), at: microseconds(of: moment))
    }

    // MARK: Turns

    func wake(_ executor: SimulatedExecutor) {
        if executor.isAwake || executor.isBusy { return }
        executor.isAwake = true
        agenda.add(.turn(executor), at: now + dice.delay(.queue, executor.index, at: now))
    }

    func turn(_ executor: SimulatedExecutor) {
        executor.isAwake = false
        executor.isBusy = true
        running.append(executor)
        executor.turn()
        running.removeLast()
        executor.isBusy = false
        if !executor.server.isDead, executor.hasWork { wake(executor) }
    }

    /// Lets other queues and loops run in the middle of a turn. The simulation calls this whenever the server
    /// sends something or reads the clock, because a real thread may be interrupted there.
    func maybeRunOthers() {
        if interruptions == World.mostInterruptions || failure != nil { return }
        calls += 1
        var random = dice.roll(.interruption, calls, at: now)
        if !random.chance(10) { return }
        interruptions += 1
        runOthers(until: now + Int64(random.pick([100, 1_000, 5_000, 40_000])))
        interruptions -= 1
    }

    private static let mostInterruptions = 2

    private func runInBackground(_ block: @escaping @Sendable () -> Void, _ server: ServerRun) {
        agenda.add(
            .answer { if !server.isDead { block() } }, at: now + dice.delay(.answer, calls, at: now))
    }
}

/// Authenticates clients by the referee's log of rights.
// @unchecked: one thread does all of a simulated run.
private final class SimulatedAuthenticator: Authenticator, @unchecked Sendable {
    private unowned let server: ServerRun

    init(_ server: ServerRun) { self.server = server }

    func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        let (server, world) = (server, server.world)
        let result = world.referee.rights.authentication(token)
        world.after(world.dice.delay(.store, world.calls, at: world.now)) {
            if !server.isDead { completion(result) }
        }
    }
}

/// Sends calls to the world's store.
// @unchecked: one thread does all of a simulated run.
private final class SimulatedCaller: DocumentStore, @unchecked Sendable {
    private unowned let server: ServerRun

    init(_ server: ServerRun) { self.server = server }

    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        if server.isDead { return }
        server.world.make(call, server, then: answer)
        server.world.maybeRunOthers()
    }
}
