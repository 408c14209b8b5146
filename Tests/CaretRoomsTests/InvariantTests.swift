import CaretCore
import CaretLog
import CaretWire
import TestSupport
import Testing

@testable import CaretRooms

/// Faults that are planted in the states themselves. Each is found by the invariant that it breaks.
@Suite("Invariants") struct InvariantTests {
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
        Fault("every action was returned to the caller") { $0.actions = [.wake(at: 1)] },
        Fault("the first kept revision is not after the head") { $0.start = 9 },
        Fault("sessions are sorted by id, without duplicates") { $0.sessions.swapAt(0, 1) },
        Fault("no session is ahead of the head") { $0.sessions[0].position = 7 },
        Fault("no session acknowledged more bytes than it was sent") { $0.sessions[1].outstanding = -1 },
        Fault("`selectionCount` is the number of all selections") { $0.selectionCount += 1 },
        Fault("each selection lies within the text") {
            $0.sessions[0].selections = [Selection(caret: 99)]
            $0.selectionCount = 1
        },
        Fault("the room keeps what it knows of each session's pusher") { room in
            room.pushers.release(room.sessions[1].pusher)
        },
        Fault("`working` lists exactly the pushes that wait for background work") { room in
            room.working[WorkID(1)] = room.sessions[0].pusher
        },
        Fault("`ready` lists each push that is ready") { room in
            let pusher = room.sessions[0].pusher
            let stage = room.pending[pusher]?.stage
            room.inFlight = nil
            room.ready = []
            if case .inFlight(let aim, let revision)? = stage {
                room.pending[pusher]?.stage = .ready(aim, at: revision)
            }
        },
        Fault("each pending push is filed under its pusher") { room in
            let known = room.pending.removeValue(forKey: room.sessions[0].pusher)
            room.pending[room.sessions[1].pusher] = known
        },
        Fault("no push is in flight without an append") { $0.inFlight = nil },
        Fault("the append has each push that is in flight") { room in
            let other = room.sessions[1].pusher
            guard let known = room.pending[room.sessions[0].pusher] else { return }
            let push = RoomPush(
                session: room.sessions[1].id, id: nil, document: "notes",
                participant: room.sessions[1].participant, rights: .write, epoch: "1.1", base: 1, seq: 1,
                content: known.push.content, wantsText: false, isFirst: false, digest: known.push.digest,
                time: 1)
            room.pushers.retain(other)
            room.pending[other] = PendingPush(
                push: push, stage: known.stage, isFirstOfPusher: true, whole: nil)
        },
        Fault("the append follows the head, unless its outcome is unknown") { room in
            let head = room.window.head
            room.window = LogWindow(Snapshot(revision: head.revision.next, text: head.text), mostBytes: 9_999)
        },
        Fault("requests are held only during a standstill") { room in
            room.held = [.close(room.sessions[0].id, nil)]
        },
        Fault("the store works on a standstill only if there is one") { $0.standing = .asked },
        Fault("the number of unanswered store calls is not negative") { $0.storeCalls = -1 },
        Fault("a closed room has no sessions") { $0.over = RequestRefusal(.damaged) },
    ]

    @Test("a fault in the state of a room is found", arguments: roomFaults)
    func room(fault: Fault<RoomState>) throws {
        var world = try RoomWorld("ab")
        world.seat(.ann, .bob)
        world.holds = { if case .append = $0 { true } else { false } }
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 1)
        var room = world.room
        try room.checkInvariants()
        try fault.plant(&room)
        #expect(throws: BrokenInvariant(law: fault.law)) { try room.checkInvariants() }
    }

    static let hubFaults: [Fault<HubState>] = [
        Fault("each name leads to a document with that name") { hub in
            hub.names[try DocumentName("other")] = DocumentID(1)
        },
        Fault("each document with a room is found by its name") { $0.names = [:] },
        Fault("`endings` has the deadline of each ending room, and no other") {
            $0.endings[DocumentID(1)] = 5
        },
        Fault("each session is in the room that `sessions` names") { $0.rooms[DocumentID(1)]?.sessions = [] },
        Fault("`sessions` names the room of each session") { $0.sessions = [:] },
        Fault("each slow session exists") { $0.slowSessions = [SessionID(9, number: 9)] },
        Fault("commits are watched exactly while there is a follower") { $0.feed.watch(true) },
    ]

    @Test("a fault in the state of the hub is found", arguments: hubFaults)
    func hub(fault: Fault<HubState>) throws {
        let world = ServerWorld()
        world.document("a", "x")
        world.connect("ann").says(#"{"type":"open","doc":"a"}"#)
        var hub = world.hub
        try hub.checkInvariants()
        try fault.plant(&hub)
        #expect(throws: BrokenInvariant(law: fault.law)) { try hub.checkInvariants() }
    }

    private static let unknownSession = SessionID(1, number: 7)

    static let connectionFaults: [Fault<ConnectionState>] = [
        Fault("every action was returned to the caller") { $0.actions = [.leave] },
        Fault("the number of unanswered long requests is not negative") { $0.longRequests = -1 },
        Fault("the session of an open under way is in the stage `opening`") {
            $0.underway = .opening(unknownSession, "a")
        },
        Fault("the session of a close under way is in the stage `closing` until `closed` is sent") {
            $0.underway = .closing(unknownSession, "a", nil, isAnswered: false)
        },
        Fault("a connection has a request under way only after its welcome") {
            $0.phase = .expectingHello
            $0.underway = .diverged(unknownSession, "a")
        },
    ]

    @Test("a fault in the state of a connection is found", arguments: connectionFaults)
    func connection(fault: Fault<ConnectionState>) throws {
        var state = ConnectionWorld.welcomed().state
        try state.checkInvariants()
        try fault.plant(&state)
        #expect(throws: BrokenInvariant(law: fault.law)) { try state.checkInvariants() }
    }
}
