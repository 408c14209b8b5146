import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// All faults end: every client connects, has all rights and retries. After a while all texts must be equal
/// everywhere.
extension World {
    private static let rounds = 120

    func comeToRest() {
        heal()
        isResting = true
        for round in 0..<World.rounds {
            proceed(until: now + 300_000)
            lookAtRooms()
            proceed(until: now + 100_000)
            if failure != nil { return }
            if round > 1, unrest == nil { return checkRest() }
            for machine in machines {
                if machine.isAway { machine.comeBack() }
                if round % 3 == 0 { machine.program.settles() }
            }
        }
        fail(.rest, unrest ?? "nothing")
    }

    /// Sends an event to every room, so that the observer copies its state.
    private func lookAtRooms() {
        for entry in store.model.live {
            server?.switchboard.send(
                .event(entry.id, .timePassed, from: ConnectionID(0)), to: entry.id)
        }
    }

    private func heal() {
        store.weather = [:]
        store.model.repair()
        for client in plan.clients.indices {
            reinstate(client)
            for name in Plan.names.indices where referee.rights.access(client, name) < .admin {
                allow(client, name, .admin)
            }
        }
        machines.append(Machine(plan.clients.count, .editor16, self))
        machines[plan.clients.count].connect()
        // A room finds out what another node appended only at its next push. So one more client pushes to
        // every name.
        for name in Plan.names.indices {
            machines[plan.clients.count].does(.types(name, [Typing(place: 0, removed: 0, text: "Z")]))
        }
    }

    /// Why the world is not at rest; nil if it is.
    private var unrest: String? {
        guard let server, !server.isStopping else { return "the server is not there" }
        for machine in machines {
            guard let link = machine.link, link.isWelcomed else {
                return "client \(machine.index) is not connected"
            }
            if let first = link.awaited.first(where: { !$0.value.isShared }) {
                return "client \(machine.index) waits for an answer to \(first.value)"
            }
            if link.up.count + link.down.count > 0 { return "lines are on their way" }
            if let unrest = machine.program.unrest() ?? referee.unrest(on: link, server) { return unrest }
        }
        if !store.pending.isEmpty { return "the store is at work" }
        return nil
    }

    private func checkRest() {
        for machine in machines { machine.program.checkRest() }
        for entry in store.model.live {
            guard let history = referee.ledger[entry.epoch.wire] else {
                return fail(.commit, "a document has no history")
            }
            let text = try? store.model.text(of: entry.id, at: nil).get()
            if text?.text != history.text || text?.revision != history.head {
                return fail(.commit, "the store has another text of \(entry.name) than its log")
            }
        }
        trace.add(UInt64(bitPattern: now))
    }
}
