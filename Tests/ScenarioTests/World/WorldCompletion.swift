import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// The end of a run: all faults end, and every client connects, gets all rights and retries. After a while
/// the texts of all clients and the server must be equal.
extension World {
    private static let rounds = 120

    func waitUntilIdle() {
        heal()
        isFinishing = true
        for round in 0..<World.rounds {
            proceed(until: now + 300_000)
            lookAtRooms()
            proceed(until: now + 100_000)
            if failure != nil { return }
            if round > 1, unfinishedWork == nil { return checkFinalState() }
            for machine in machines {
                if machine.isAway { machine.comeBack() }
                if round % 3 == 0 { machine.program.finishWork() }
            }
        }
        fail(.completion, unfinishedWork ?? "nothing")
    }

    /// Sends an event to every room, so that the observer copies its state.
    private func lookAtRooms() {
        for entry in store.model.live {
            for case let server? in nodes { server.send(.timePassed, toRoomOf: entry.id) }
        }
    }

    private func heal() {
        store.faultEnds = [:]
        store.model.repair()
        for client in plan.clients.indices {
            reinstate(client)
            for name in Plan.names.indices where referee.rights.access(client, name) < .admin {
                allow(client, name, .admin)
            }
        }
        machines.append(Machine(plan.clients.count, .editor16, self))
        machines[plan.clients.count].connect()
        // A room notices changes by another node only at its next push. So one more client pushes to every
        // name.
        for name in Plan.names.indices {
            machines[plan.clients.count].perform(.types(name, [Typing(place: 0, removed: 0, text: "Z")]))
        }
    }

    /// The work that is not done yet; nil if all work is done.
    private var unfinishedWork: String? {
        for server in nodes where server?.isStopping ?? true { return "a server is not running" }
        for machine in machines {
            guard let link = machine.link, link.isWelcomed else {
                return "client \(machine.index) is not connected"
            }
            if let first = link.awaited.first(where: { !$0.value.isShared }) {
                return "client \(machine.index) waits for an answer to \(first.value)"
            }
            if link.http?.isIdle == false { return "client \(machine.index) waits for a response" }
            if link.up.count + link.down.count > 0 { return "some lines have not arrived" }
            if let unfinishedWork = machine.program.unfinishedWork()
                ?? nodes[link.node].flatMap({ referee.unfinishedWork(on: link, $0) })
            {
                return unfinishedWork
            }
        }
        if !store.pending.isEmpty { return "some calls to the store have not run" }
        return nil
    }

    private func checkFinalState() {
        for machine in machines { machine.program.checkFinalState() }
        for entry in store.model.live {
            guard let history = referee.ledger[entry.epoch.wire] else {
                return fail(.commit, "a document has no history")
            }
            let text = try? store.model.text(of: entry.id, at: nil).get()
            if text?.text != history.text || text?.revision != history.head {
                return fail(.commit, "the store's text of \(entry.name) differs from the log")
            }
        }
        trace.add(UInt64(bitPattern: now))
    }
}
