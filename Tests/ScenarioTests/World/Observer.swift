import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWeb
import CaretWire
import TestSupport

/// Checks every state after each event, and plants the faults of rooms.
// @unchecked: one thread does all of a simulated run.
final class Observer: StateObserver, @unchecked Sendable {
    private unowned let world: World
    private unowned let server: ServerRun
    /// Bytes that each session was sent and that its connection has not written yet.
    private var waitingBytes: [SessionID: Int] = [:]
    /// The time of the tick for which each room waits.
    private var ticks: [DocumentID: Int64] = [:]

    init(_ server: ServerRun) {
        self.server = server
        world = server.world
    }

    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        if server.isDead { return [] }
        if world.fault.readsWithoutWaiting, case .awaitPushes(_, let connection) = event {
            return [.notifyHub(.pushesResolved(connection))]
        }
        checkTick(of: room.log.document, at: time)
        if case .written(let session, let bytes) = event { waitingBytes[session, default: 0] -= bytes }
        let moment = room.presence.now
        let actions = world.fault.handle(event, in: &room, at: time)
        note(actions)
        world.referee.checkSelection(event, room, after: moment)
        look(at: room)
        return actions
    }

    /// Presence must not wait longer than the tick. Other work may delay the tick a little.
    private func checkTick(of document: DocumentID, at time: Int64) {
        guard let tick = ticks.removeValue(forKey: document) else { return }
        // A server that was stopped does nothing until it goes on, and then it does what waits.
        let continuation = World.epoch + server.stoppedUntil / 1_000
        let due = tick < continuation ? continuation + Observer.backlogTime : tick
        if time > due + Observer.mostTickDelay {
            world.fail(.presence, "presence still waits \(time - due) ms after the tick")
        }
    }

    /// A turn may be delayed by up to 80 ms, and interrupted for up to 40 ms several times. Several delays may follow each
    /// other.
    private static let mostTickDelay: Int64 = 600

    /// How long a server needs, after it was stopped, for what arrived meanwhile.
    private static let backlogTime: Int64 = 1_000

    private func note(_ actions: [RoomAction]) {
        // When a document ends, its sessions get all missing changes, regardless of their credit.
        let isLast = actions.contains {
            if case .send(_, let output) = $0 { output.bytes.starts(with: Observer.gone) } else { false }
        }
        for action in actions {
            switch action {
            case .send(let session, let output): send(output.bytes.linesApart, to: session, isLast: isLast)
            case .sendText(let session, let line): send([line.bytes], to: session, isLast: isLast)
            case .ended(let session): waitingBytes[session] = nil
            case .diverged(_, let revision):
                world.fail(.check, "a client reports that its text differs at revision \(revision.value)")
            case .call, .compute, .encode, .waitForPushes, .notifyHub, .publish, .disconnect, .wake: break
            }
        }
    }

    /// Counts the sent bytes. A session that has used up its credit must get no change.
    private func send(_ lines: [[UInt8]], to session: SessionID, isLast: Bool) {
        for line in lines {
            world.referee.longest = max(world.referee.longest, line.count)
            let waiting = waitingBytes[session, default: 0]
            if !isLast, waiting >= world.limits.creditBytes, line.starts(with: Observer.change) {
                world.fail(
                    .bounds,
                    "a session with a credit of \(world.limits.creditBytes) bytes gets a change with \(waiting) bytes unwritten"
                )
            }
            waitingBytes[session] = waiting + line.count
        }
    }

    private static let change = Array(#"{"type":"change""#.utf8)
    private static let gone = Array(#"{"type":"gone""#.utf8)

    private func look(at room: RoomState) {
        world.referee.look(at: room)
        check { () throws(BrokenInvariant) in try room.checkInvariants() }
    }

    func endGathering(of room: inout RoomState) -> [RoomAction] {
        if server.isDead { return [] }
        let actions = world.fault.actions(room.endGathering())
        // An idle room may be dropped, and then nobody waits for its presence.
        let isWaiting = room.presence.tick.isWaiting && !room.isIdle
        ticks[room.log.document] = isWaiting ? room.presence.tick.next : nil
        note(actions)
        look(at: room)
        if world.isFinishing { server.rooms[room.log.document] = room }
        return actions
    }

    func saw(_ hub: HubState) {
        if server.isDead { return }
        check { () throws(BrokenInvariant) in try hub.checkInvariants() }
    }

    func saw(_ web: WebState) {
        if server.isDead { return }
        if let member = web.member { world.referee.look(at: member) }
        check { () throws(BrokenInvariant) in try web.checkInvariants() }
    }

    func saw(_ connection: ConnectionState) {
        if server.isDead { return }
        world.referee.look(at: connection)
        check { () throws(BrokenInvariant) in try connection.checkInvariants() }
    }

    private func check(_ state: () throws(BrokenInvariant) -> Void) {
        do { try state() } catch { world.referee.fail(.invariant, error.law) }
    }
}
