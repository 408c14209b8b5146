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

    /// A server has committed something, and tells the others.
    func sendHints(_ document: DocumentID, _ head: Revision, from server: ServerRun) {
        // The hint of a killed server is lost.
        if plan.nodes == 1 || server.isDead { return }
        for case let other? in nodes where other !== server {
            var random = dice.roll(.hint, other.node, at: now)
            if random.chance(lostHints) { continue }
            for copy in 0..<(random.chance(10) ? 2 : 1) {
                let late = random.chance(20) ? Int64(random.number(1_000...200_000)) : 0
                let delay = late + dice.delay(.hint, 2 * other.node + copy, at: now)
                agenda.add(.answer { other.send(.storeHead(head), toRoomOf: document) }, at: now + delay)
            }
        }
    }

    /// Tells every server the heads of all documents, so that lost hints do no harm.
    func sweep() {
        for entry in store.model.live {
            for case let server? in nodes { server.send(.storeHead(entry.head), toRoomOf: entry.id) }
        }
    }

    func sweepLater() {
        after(World.sweepInterval) { [unowned self] in
            sweep()
            if !isFinishing { sweepLater() }
        }
    }

    private static let sweepInterval: Int64 = 400_000
}

extension ServerRun {
    /// Sends an event to the room of a document, if the document is open.
    func send(_ event: RoomEvent, toRoomOf document: DocumentID) {
        if isDead { return }
        switchboard.send(.connectionEvent(document, event, from: ConnectionID(0)), to: document)
    }
}
