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
    private var endpoint: BusEndpoint
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
        endpoint = BusEndpoint(
            server.id, beat: SimulatedBus.beat, silence: SimulatedBus.silence,
            // As in a real server, because the time between two sweeps is as in a real server.
            keeping: world.fault.forgetsNews ? 0 : BusEndpoint.keeping)
        beat()
    }

    func publish(_ notifications: [PeerNotification]) {
        let published = notifications.compactMap {
            world.fault.published($0, hasPeers: endpoint.peerCount > 0)
        }
        if endpoint.publish(published, at: milliseconds) { becomeDue() }
        for one in published where !one.isAboutSession { repeatLate(one) }
    }

    func opened(_ document: DocumentID) {
        switch world.fault.needOfOpened {
        case .told: break
        case .untold: return
        case .endedEarly: later(SimulatedBus.beat * 1_000) { $0.endpoint.closed(document) }
        }
        if endpoint.opened(document) { becomeDue() }
    }

    func closed(_ document: DocumentID) {
        if world.fault.needOfOpened == .told { endpoint.closed(document) }
    }

    func needAll(_ all: Bool) { if endpoint.needAll(all) { becomeDue() } }

    /// `pass` passes events to the hub.
    func listen(_ receive: @escaping @Sendable (BusEvent) -> Void) {}

    func report(_ report: NodeReport) {}

    var unsentAge: Int64 { endpoint.unsentAge(at: milliseconds) }

    // MARK: Sending

    private func becomeDue() {
        if isTurnDue { return }
        isTurnDue = true
        later(world.dice.delay(.hint, server.node, at: world.now)) { $0.turn() }
    }

    private func turn() {
        isTurnDue = false
        if world.now < cutUntil { return }
        let letters = endpoint.takeLetters(at: milliseconds)
        endpoint.ended(areSent: true)
        for letter in letters {
            for case let other? in world.nodes where other !== server {
                if letter.recipient ?? other.id.node == other.id.node { send(letter.text, to: other) }
            }
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
    private func repeatLate(_ notification: PeerNotification) {
        for case let other? in world.nodes where other !== server {
            var random = world.dice.roll(.hint, 100 + other.node, at: world.now)
            if !random.chance(10) { continue }
            let id = server.id
            other.bus?.later(Int64(random.number(1_000...200_000))) { $0.pass(.received(id, [notification])) }
        }
    }

    // MARK: Receiving

    private func receive(_ message: String, from sender: NodeID, at arrival: Int64) {
        let time = max(arrival, (lastArrivals[sender] ?? 0) + 1)
        lastArrivals[sender] = time
        later(time - world.now) { if $0.world.now >= $0.cutUntil { $0.receive([message]) } }
    }

    private func receive(_ messages: [String]) {
        for event in endpoint.receive(messages, at: milliseconds).events { pass(event) }
        if endpoint.hasLetters { becomeDue() }
    }

    private func pass(_ event: BusEvent) {
        guard let event = world.fault.received(event) else { return }
        server.switchboard.hub.enqueue(.event(.bus(event)))
    }

    /// Sends a message if none was sent for long, and notices which servers are silent, for as long as the server runs.
    private func beat() {
        later(SimulatedBus.beat * 1_000) { bus in
            bus.turn()
            if bus.world.now >= bus.cutUntil { bus.receive([]) }
            bus.beat()
        }
    }

    // MARK: Faults

    /// The server has no connection to the bus for a while.
    func cut(microseconds: Int64) {
        if world.now < cutUntil { return }
        cutUntil = world.now + microseconds
        endpoint.disconnected()
        later(microseconds) { bus in
            bus.pass(.missed)
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
    /// How many of a hundred messages are lost. If all are lost, servers learn of changes by sweeps alone.
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

extension PeerNotification {
    fileprivate var isAboutSession: Bool {
        switch self {
        case .selected, .left: true
        case .head, .changed, .revoked, .signedOut, .joined, .roster: false
        }
    }
}
