import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import TestSupport

/// The bus of a simulated server: the code of the real bus, without PostgreSQL between the servers. Messages arrive in
/// order, and may be lost.
// @unchecked: one thread does all of a simulated run.
final class SimulatedBus: NodeBus, @unchecked Sendable {
    private unowned let server: ServerRun
    private unowned let world: World
    private var member: BusMember
    private var isTurnDue = false
    /// Until when the server has no connection to the bus.
    private var cutUntil: Int64 = 0
    /// When the last message of each other server arrives here.
    private var lastArrivals: [NodeID: Int64] = [:]

    /// Shorter than in a real server, so that little simulated time passes, in milliseconds.
    private static let (beat, silence): (Int64, Int64) = (100, 400)

    init(_ server: ServerRun) {
        self.server = server
        world = server.world
        member = BusMember(server.id, beat: SimulatedBus.beat, silence: SimulatedBus.silence)
        beat()
    }

    func publish(_ news: [NodeNews]) {
        let told = news.compactMap { world.fault.told($0, hearsOthers: member.neighbourCount > 0) }
        if member.publish(told, at: milliseconds) { becomeDue() }
        for one in told where !one.isAboutSession { repeatLate(one) }
    }

    /// `tellHub` passes events to the hub.
    func listen(_ hear: @escaping @Sendable (NodeEvent) -> Void) {}

    func report(_ report: NodeReport) {}

    var newsAge: Int64 { member.newsAge(at: milliseconds) }

    // MARK: Sending

    private func becomeDue() {
        if isTurnDue { return }
        isTurnDue = true
        later(world.dice.delay(.hint, server.node, at: world.now)) { $0.turn() }
    }

    private func turn() {
        isTurnDue = false
        if world.now < cutUntil { return }
        let messages = member.takeMessages(at: milliseconds)
        member.ended(areSent: true, at: milliseconds)
        for message in messages {
            for case let other? in world.nodes where other !== server { send(message, to: other) }
        }
    }

    private func send(_ message: String, to other: ServerRun) {
        var random = world.dice.roll(.hint, other.node, at: world.now)
        if random.chance(world.isFinishing ? 0 : world.lostMessages) { return }
        let late = random.chance(20) ? Int64(random.number(1_000...200_000)) : 0
        let arrival = world.now + late + world.dice.delay(.hint, 2 * other.node, at: world.now)
        other.bus?.receive(message, from: server.id, at: arrival)
    }

    /// A hint that is repeated, late and out of order does no harm. The bus itself keeps the order.
    private func repeatLate(_ news: NodeNews) {
        for case let other? in world.nodes where other !== server {
            var random = world.dice.roll(.hint, 100 + other.node, at: world.now)
            if !random.chance(10) { continue }
            let id = server.id
            other.bus?.later(Int64(random.number(1_000...200_000))) { $0.tellHub(.news(id, [news])) }
        }
    }

    // MARK: Receiving

    private func receive(_ message: String, from sender: NodeID, at arrival: Int64) {
        let time = max(arrival, (lastArrivals[sender] ?? 0) + 1)
        lastArrivals[sender] = time
        later(time - world.now) { if $0.world.now >= $0.cutUntil { $0.hear([message]) } }
    }

    private func hear(_ messages: [String]) {
        for event in member.hear(messages, at: milliseconds).events { tellHub(event) }
    }

    private func tellHub(_ event: NodeEvent) {
        guard let event = world.fault.heard(event) else { return }
        server.switchboard.hub.enqueue(.event(.heard(event)))
    }

    /// Sends a message if none was sent for long, and notices which servers are silent, for as long as the server runs.
    private func beat() {
        later(SimulatedBus.beat * 1_000) { bus in
            bus.turn()
            if bus.world.now >= bus.cutUntil { bus.hear([]) }
            bus.beat()
        }
    }

    // MARK: Faults

    /// The server has no connection to the bus for a while.
    func cut(microseconds: Int64) {
        if world.now < cutUntil { return }
        cutUntil = world.now + microseconds
        member.disconnected(at: milliseconds)
        later(microseconds) { bus in
            bus.tellHub(.missed)
            bus.turn()
        }
    }

    private var milliseconds: Int64 { world.now / 1_000 }

    private func later(_ delay: Int64, _ body: @escaping (SimulatedBus) -> Void) {
        world.agenda.add(
            .answer { [self, server] in if !server.isDead { body(self) } }, at: world.now + delay)
    }
}

extension World {
    /// How many of a hundred messages are lost. If all are lost, servers learn of each other by sweeps alone.
    fileprivate var lostMessages: Int {
        var random = Seeded(plan.seed ^ 0x41D5)
        return random.pick([0, 30, 100])
    }
}

extension ServerRun {
    /// Sends an event to the room of a document, if the document is open.
    func send(_ event: RoomEvent, toRoomOf document: DocumentID) {
        if isDead { return }
        switchboard.send(.connectionEvent(document, event, from: ConnectionID(0)), to: document)
    }
}

extension NodeNews {
    fileprivate var isAboutSession: Bool {
        switch self {
        case .selected, .left: true
        case .head, .changed, .revoked, .joined, .roster: false
        }
    }
}
