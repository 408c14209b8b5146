import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import TestSupport

/// What servers over one store tell each other: hints, which may be lost, late or doubled.
extension World {
    /// How many of a hundred hints are lost. If all are lost, servers learn of each other by sweeps alone.
    private var lostHints: Int {
        var random = Seeded(plan.seed ^ 0x41D5)
        return random.pick([0, 30, 100])
    }

    /// A server has committed something, and tells the others. A server that missed something hears that it did.
    func tell(_ news: NodeNews, from server: ServerRun) {
        guard plan.nodes > 1, let news = fault.told(news) else { return }
        for case let other? in nodes where other !== server {
            var random = dice.roll(.hint, other.node, at: now)
            // The news of a killed server are lost. The others notice that it is silent.
            if server.isDead || random.chance(isFinishing ? 0 : lostHints) {
                deliver(.missed, to: other, after: Int64(random.number(1_000...World.silence)))
                continue
            }
            for copy in 0..<(random.chance(10) ? 2 : 1) {
                let late = random.chance(20) ? Int64(random.number(1_000...200_000)) : 0
                var delay = late + dice.delay(.hint, 2 * other.node + copy, at: now)
                if news.mustKeepOrder { delay = inOrder(delay, from: server, to: other) }
                deliver(.news(server.id, [news]), to: other, after: delay)
            }
        }
    }

    /// Delays a message until all earlier ones of the same sender have arrived.
    private func inOrder(_ delay: Int64, from server: ServerRun, to other: ServerRun) -> Int64 {
        let time = max(now + delay, (other.lastNews[server.id] ?? 0) + 1)
        other.lastNews[server.id] = time
        return time - now
    }

    /// The other servers notice that a server has ended.
    func tellEnd(of server: ServerRun) {
        for case let other? in nodes where other !== server {
            let delay = Int64(dice.roll(.hint, other.node, at: now).peek(1_000...World.silence))
            deliver(.gone(server.id), to: other, after: inOrder(delay, from: server, to: other))
            deliver(.missed, to: other, after: delay)
        }
    }

    private func deliver(_ event: NodeEvent, to server: ServerRun, after delay: Int64) {
        agenda.add(
            .answer { if !server.isDead { server.switchboard.hub.enqueue(.event(.heard(event))) } },
            at: now + delay)
    }

    /// When a server has noticed at the latest that another one is silent, in microseconds.
    private static let silence = 400_000
}

extension ServerRun {
    /// Sends an event to the room of a document, if the document is open.
    func send(_ event: RoomEvent, toRoomOf document: DocumentID) {
        if isDead { return }
        switchboard.send(.connectionEvent(document, event, from: ConnectionID(0)), to: document)
    }
}

extension NodeNews {
    /// A departure must not overtake what the session selected before. The bus keeps this order.
    fileprivate var mustKeepOrder: Bool {
        switch self {
        case .selected, .left: true
        case .head, .changed, .revoked, .joined, .roster: false
        }
    }
}

/// The bus of a simulated server.
final class SimulatedBus: NodeBus {
    private let server: ServerRun

    init(_ server: ServerRun) { self.server = server }

    func publish(_ news: [NodeNews]) { for one in news { server.world.tell(one, from: server) } }

    /// The world sends what the others tell directly to the hub.
    func listen(_ hear: @escaping @Sendable (NodeEvent) -> Void) {}

    func report(_ report: NodeReport) {}
}
