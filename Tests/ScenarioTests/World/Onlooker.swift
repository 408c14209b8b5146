import CaretCore
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// Checks every state around each event, and plants the faults of rooms.
// @unchecked: one run is one thread's.
final class Onlooker: StateObserver, @unchecked Sendable {
    private unowned let world: World
    private unowned let server: Server
    /// What each session was sent, and what its connection has not written yet.
    private var waitingBytes: [SessionID: Int] = [:]

    init(_ server: Server) {
        self.server = server
        world = server.world
    }

    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        if server.isDead { return [] }
        if world.fault.readsAtOnce, case .awaitPushes(_, let connection) = event {
            return [.notifyHub(.pushesSettled(connection))]
        }
        if case .written(let session, let bytes) = event { waitingBytes[session, default: 0] -= bytes }
        let moment = room.presence.now
        let actions = world.fault.handle(event, in: &room, at: time)
        for action in actions { note(action) }
        world.referee.took(event, room, behind: moment)
        look(at: room)
        return actions
    }

    private func note(_ action: RoomAction) {
        switch action {
        case .send(let session, let output):
            let lines = output.bytes.linesApart
            world.referee.longest = max(world.referee.longest, lines.map(\.count).max() ?? 0)
            send(lines, to: session)
        case .diverged(_, let revision):
            world.fail(.check, "a client says that its text at revision \(revision.value) is another")
        case .ended(let session): waitingBytes[session] = nil
        case .call, .compute, .notifyHub, .cut, .wake: break
        }
    }

    /// A session gets no change while as much as its credit waits to be written.
    private func send(_ lines: [[UInt8]], to session: SessionID) {
        for line in lines {
            let waiting = waitingBytes[session, default: 0]
            if waiting >= world.limits.creditBytes, line.starts(with: Onlooker.change) {
                world.fail(.bounds, "\(waiting) bytes wait for a session, and it is sent a change")
            }
            waitingBytes[session] = waiting + line.count
        }
    }

    private static let change = Array(#"{"type":"change""#.utf8)

    private func look(at room: RoomState) {
        world.referee.look(at: room)
        check { () throws(BrokenInvariant) in try room.checkInvariants() }
    }

    func endGathering(of room: inout RoomState) -> [RoomAction] {
        if server.isDead { return [] }
        let actions = world.fault.actions(room.endGathering())
        for action in actions { note(action) }
        look(at: room)
        if world.isResting { server.rooms[room.log.document] = room }
        return actions
    }

    func saw(_ hub: HubState) {
        if server.isDead { return }
        check { () throws(BrokenInvariant) in try hub.checkInvariants() }
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
