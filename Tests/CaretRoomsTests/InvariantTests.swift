import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// Each test puts a fault into a state. `checkInvariants` must throw the expected invariant.
@Suite("Invariants of rooms, the hub and connections") struct InvariantTests {
    /// A fault and the invariant that it breaks.
    struct Fault<State>: Sendable, CustomTestStringConvertible {
        let law: String
        let plant: @Sendable (inout State) throws -> Void

        var testDescription: String { law }

        init(_ law: String, _ plant: @escaping @Sendable (inout State) throws -> Void) {
            (self.law, self.plant) = (law, plant)
        }
    }

    static let roomFaults: [Fault<RoomState>] = [
        Fault("every action was returned to the caller") { $0.effects.add(.wake(at: 1)) },
        Fault("the first kept revision is not after the head") { room in
            room.log = DocumentLog(try entry(start: 9), head: room.log.window.head, windowBytes: 9_999)
        },
        Fault("the window is within its limit, or has only one revision") { $0.log.setWindowLimit(1) },
        Fault("each session that waits for history waits for a read under way") { room in
            room.sessions[0].stream.waitForHistory()
        },
        Fault("the revisions after the head are being read while the room catches up") { room in
            room.catchUp.begin(isAlreadyReading: false)
        },
        Fault("each push that waits for the store has a call under way") { room in
            room.pushes.waitForHistory(room.sessions[0].pusher, Change(), at: 1)
        },
        Fault("`reads` counts the unanswered `read` calls") { room in
            _ = room.queries.end(room.queries.begin(.read(room.log.document, after: 1, limit: 1)))
        },
        Fault("sessions are sorted by id, without duplicates") { room in
            room.sessions = SessionList(room.sessions.all.reversed())
        },
        Fault("no session is ahead of the head") { $0.sessions[0].stream.moved(to: 7) },
        Fault("no session acknowledged more bytes than it was sent") { room in
            room.sessions[1].stream.sent(-1 - room.sessions[1].stream.outstanding)
        },
        Fault("each unsent ack is for a revision after its session's position, up to the head") { room in
            guard let known = room.pushes[room.sessions[0].pusher],
                case .committed(let committed)? = room.pushes.inFlight?.draft.outcomes.first?.outcome
            else { return }
            room.sessions[0].stream.setPendingAck(PendingAck(known, as: committed))
        },
        Fault("`selectionCount` is the number of all selections") { room in
            room.sessions[0].presence.select([Selection(caret: 1)], at: 0)
        },
        Fault("each selection lies within the text") { room in
            room.presence.select([Selection(caret: 99)], by: &room.sessions[0])
        },
        Fault("each session was sent only presence events that were recorded") { room in
            room.sessions[0].presence.markSent(until: 8)
        },
        Fault("presence waits for the tick if a session could be sent it") { room in
            room.presence.select([Selection(caret: 1)], by: &room.sessions[0])
            room.presence.tick = PresenceTick()
        },
        Fault("if presence waits, the room wakes at the tick") { $0.presence.tick.wait() },
        Fault("the room remembers the pusher of each session") { room in
            room.pushers.release(room.sessions[1].pusher)
        },
        Fault("the room remembers the pusher of each pending push") { room in
            // The room counts two references to the pusher, from the session and from the push. Remove both.
            let pusher = room.sessions.remove(at: 0).pusher
            for _ in 0..<2 { room.pushers.release(pusher) }
        },
        Fault("each pending push is newer than its pusher's last commit") { room in
            let pusher = room.sessions[0].pusher
            guard let push = room.pushes[pusher]?.push else { return }
            let entry = PusherEntry(seq: push.seq, revision: 1, digest: push.digest, used: 1)
            room.pushers.committed(entry, by: pusher)
        },
        Fault("no append is in flight while the room waits for more pushes") { room in
            room.sharing.committed(expecting: 2, at: 0)
            _ = room.sharing.decide(ready: 1, at: 0)
        },
        Fault("`ready` lists each push that is ready exactly once") { room in
            room.pushes.returnSegment()
            room.pushes.returnReady([room.sessions[0].pusher])
        },
        Fault("`ready` lists each push that is ready exactly once") { room in
            room.pushes.returnSegment()
            _ = room.pushes.takeReady()
        },
        Fault("pushes wait for another push's computation only while the computation runs") { room in
            let pusher = room.sessions[0].pusher
            for number in 0..<9 { room.pushes.beginComputing(pusher, as: WorkID(number), at: 1) }
            room.pushes.joinSegment(pusher)
        },
        Fault("no push is in flight without an append") { $0.pushes.endAppend() },
        Fault("the append contains each push that is in flight") { room in
            guard let known = room.pushes[room.sessions[0].pusher] else { return }
            let session = room.sessions[1]
            let push = RoomPush(
                session: session.id, id: nil, document: "notes", participant: session.participant,
                rights: .write, epoch: "1.1", base: 1, seq: 1, content: known.push.content,
                digest: known.push.digest, time: 1)
            room.pushers.retain(session.pusher)
            room.pushes.add(PendingPush(push, whole: nil, isFirstOfPusher: true))
            room.pushes.joinSegment(session.pusher)
        },
        Fault("the append expects the current head, unless the outcome of the append is unknown") { room in
            let head = room.log.window.head
            room.log.restart(
                at: Snapshot(revision: head.revision.next, text: head.text), in: room.log.epoch)
        },
        Fault("requests wait only during a pause") { room in
            _ = room.pause.queue(.close(room.sessions[0].id, nil))
        },
        Fault("during a pause, the store is called only if the pause has a reason") { $0.pause.beginCall() },
        Fault("a closed room has no sessions") { $0.closedWith = RequestRefusal(.damaged) },
        Fault("a closed room has no work left") { room in
            room.sessions.removeAll()
            room.presence = PresenceBoard()
            room.closedWith = RequestRefusal(.damaged)
        },
    ]

    private static func entry(start: Revision) throws -> DocumentEntry {
        try DocumentEntry(
            id: DocumentID(1), name: DocumentName("notes"), epoch: Epoch(generation: 1, document: 1),
            head: 1, start: start, length: .zero, updated: 1, lineBreak: .lf)
    }

    @Test("`checkInvariants` of a room throws the invariant that a fault breaks", arguments: roomFaults)
    func room(fault: Fault<RoomState>) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 1)
        world.push(.ann, [(3, 3, "d")], base: 2, seq: 2)
        world.holds = { $0.isAppend }
        world.push(.ann, [(4, 4, "e")], base: 3, seq: 3)
        var room = world.room
        try room.checkInvariants()
        try fault.plant(&room)
        #expect(throws: BrokenInvariant(law: fault.law)) { try room.checkInvariants() }
    }

    static let hubFaults: [Fault<HubState>] = [
        Fault("each entry of `names` has the current name of its document") { hub in
            hub.names[try DocumentName("other")] = DocumentID(1)
        },
        Fault("each document with a room is found by its name, unless another document took the name") {
            $0.names = [:]
        },
        Fault("`orderDeadlines` has the deadline of each room that renames or deletes its document") { hub in
            hub.rooms[DocumentID(1)]?.state = .runningOrder(until: 5)
        },
        Fault("`orderDeadlines` is sorted by time") { hub in
            hub.orderDeadlines = [5, 4].map { HubState.OrderDeadline(document: DocumentID(1), until: $0) }
        },
        Fault("each session is in the room that `sessions` names") { $0.rooms[DocumentID(1)]?.sessions = [] },
        Fault("`sessions` names the room of each session") { $0.sessions = [:] },
        Fault("each session in `slowSessions` exists") { $0.slowSessions = [SessionID(9, number: 9)] },
        Fault("updates of documents are kept if, and only if, there is a follower") { $0.feed.watch(true) },
    ]

    @Test("`checkInvariants` of the hub throws the invariant that a fault breaks", arguments: hubFaults)
    func hub(fault: Fault<HubState>) throws {
        let world = ServerWorld()
        world.document("a", "x")
        world.connect("ann").says(#"{"type":"open","doc":"a"}"#)
        var hub = world.hub
        try hub.checkInvariants()
        try fault.plant(&hub)
        #expect(throws: BrokenInvariant(law: fault.law)) { try hub.checkInvariants() }
    }

    static let remoteFaults: [Fault<HubState>] = [
        Fault("a comparison with the store runs if, and only if, its answer is awaited") { hub in
            hub.remoteChanges?.compare([DocumentID(1)])
            _ = hub.remoteChanges?.beginComparison()
        },
        Fault("documents wait for a comparison only while another one runs") { hub in
            hub.remoteChanges?.compare([DocumentID(1)])
        },
        Fault("the hub reacts to missed notifications at once, unless it has reacted shortly before") { hub in
            hub.remoteChanges?.missedNotifications(at: 5)
        },
        Fault("the hub wakes for the next sweep") { $0.remoteChanges = RemoteChanges(at: 0) },
    ]

    @Test("`checkInvariants` throws what breaks between several servers", arguments: remoteFaults)
    func remote(fault: Fault<HubState>) throws {
        let world = ServerWorld(sharesStore: true)
        _ = world.connect("ann")
        var hub = world.hub
        try hub.checkInvariants()
        try fault.plant(&hub)
        #expect(throws: BrokenInvariant(law: fault.law)) { try hub.checkInvariants() }
    }

    private static let unknownSession = SessionID(1, number: 7)

    static let connectionFaults: [Fault<ConnectionState>] = [
        Fault("every action was returned to the caller") { $0.actions = [.leave] },
        Fault("the number of unanswered long requests is not negative") { $0.longRequests = -1 },
        Fault("a session that is being opened is in the stage `opening`") {
            $0.underway = .opening(unknownSession, "a")
        },
        Fault("a session that is being closed is in the stage `closing` until `closed` is sent") {
            $0.underway = .closing(unknownSession, "a", nil, isAnswered: false)
        },
        Fault("a connection has a request under way only after its welcome") {
            $0.phase = .expectingHello
            $0.underway = .diverged(unknownSession, "a")
        },
    ]

    @Test("`checkInvariants` of a connection throws the invariant that breaks", arguments: connectionFaults)
    func connection(fault: Fault<ConnectionState>) throws {
        var state = ConnectionWorld.welcomed().state
        try state.checkInvariants()
        try fault.plant(&state)
        #expect(throws: BrokenInvariant(law: fault.law)) { try state.checkInvariants() }
    }
}
