import CaretCore
import CaretLog
import CaretWire
import TestSupport
import Testing

@testable import CaretRooms

/// Faults that are planted in the states themselves: each is found behind the event, by the law that it breaks.
@Suite("Invariants") struct InvariantTests {
    struct RoomFault: Sendable, CustomTestStringConvertible {
        let law: String
        let plant: @Sendable (inout RoomState) -> Void

        var testDescription: String { law }

        init(_ law: String, _ plant: @escaping @Sendable (inout RoomState) -> Void) {
            (self.law, self.plant) = (law, plant)
        }
    }

    static let roomFaults: [RoomFault] = [
        RoomFault("all actions were handed out") { $0.actions = [.wake(at: 1)] },
        RoomFault("no revision is before the start") { $0.start = 9 },
        RoomFault("sessions stand in the order of their ids, each once") { $0.sessions.swapAt(0, 1) },
        RoomFault("nobody was handed what is not in the log") { $0.sessions[0].position = 7 },
        RoomFault("no session owes bytes") { $0.sessions[1].outstanding = -1 },
        RoomFault("the selections are counted") { $0.selectionCount += 1 },
        RoomFault("selections lie in the text") {
            $0.sessions[0].selections = [Selection(caret: 99)]
            $0.selectionCount = 1
        },
        RoomFault("what is known of every session's pusher is kept") { room in
            room.pushers.release(room.sessions[1].pusher)
        },
        RoomFault("work beside the room is that of a push that waits for it, and the reverse") { room in
            room.working[WorkID(1)] = room.sessions[0].pusher
        },
        RoomFault("every push that is ready stands in the list") { room in
            let pusher = room.sessions[0].pusher
            let stage = room.pending[pusher]?.stage
            room.inFlight = nil
            room.ready = []
            if case .inFlight(let aim, let revision)? = stage {
                room.pending[pusher]?.stage = .ready(aim, at: revision)
            }
        },
        RoomFault("a push stands with its pusher") { room in
            let known = room.pending.removeValue(forKey: room.sessions[0].pusher)
            room.pending[room.sessions[1].pusher] = known
        },
        RoomFault("no push waits for an append that is not in flight") { $0.inFlight = nil },
        RoomFault("the pushes that wait for the append are in it") { room in
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
        RoomFault("an append follows the head, unless it may be on disk already") { room in
            let head = room.window.head
            room.window = LogWindow(Snapshot(revision: head.revision.next, text: head.text), mostBytes: 9_999)
        },
        RoomFault("requests are held only while the room stands still") { room in
            room.held = [.close(room.sessions[0].id, nil)]
        },
        RoomFault("the store is asked only for a standstill") { $0.standing = .asked },
        RoomFault("no more was answered than asked") { $0.storeCalls = -1 },
        RoomFault("nobody is left in a closed room") { $0.over = RequestRefusal(.damaged) },
    ]

    @Test("a fault in the state of a room is found", arguments: roomFaults)
    func room(fault: RoomFault) throws {
        var world = try RoomWorld("ab")
        world.seat(.ann, .bob)
        world.holds = { if case .append = $0 { true } else { false } }
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 1)
        var room = world.room
        try room.checkInvariants()
        fault.plant(&room)
        #expect(throws: BrokenInvariant(law: fault.law)) { try room.checkInvariants() }
    }

    struct HubFault: Sendable, CustomTestStringConvertible {
        let law: String
        let plant: @Sendable (inout HubState) -> Void

        var testDescription: String { law }

        init(_ law: String, _ plant: @escaping @Sendable (inout HubState) -> Void) {
            (self.law, self.plant) = (law, plant)
        }
    }

    static let hubFaults: [HubFault] = [
        HubFault("a name is that of the document that has it") { hub in
            hub.names[try! DocumentName("other")] = DocumentID(1)
        },
        HubFault("a document with a room is found by its name") { $0.names = [:] },
        HubFault("requests wait only for as long as their rooms end") { $0.endings[DocumentID(1)] = 5 },
        HubFault("a session is in the room that is noted") { $0.rooms[DocumentID(1)]?.sessions = [] },
        HubFault("a room has the sessions that are noted") { $0.sessions = [:] },
        HubFault("who is slow has a session") { $0.slowSessions = [SessionID(9, number: 9)] },
        HubFault("commits are watched for those who follow, and only for them") { $0.feed.watch(true) },
    ]

    @Test("a fault in the state of the hub is found", arguments: hubFaults)
    func hub(fault: HubFault) throws {
        let world = ServerWorld()
        world.document("a", "x")
        world.connect("ann").says(#"{"type":"open","doc":"a"}"#)
        var hub = world.hub
        try hub.checkInvariants()
        fault.plant(&hub)
        #expect(throws: BrokenInvariant(law: fault.law)) { try hub.checkInvariants() }
    }

    @Test("a fault in the state of a connection is found")
    func connection() throws {
        var faults: [(law: String, plant: (inout ConnectionState) -> Void)] = []
        let session = SessionID(1, number: 7)
        faults.append(("all actions were handed out", { $0.actions = [.leave] }))
        faults.append(("no more requests were answered than asked", { $0.longRequests = -1 }))
        faults.append(("what is being opened is open to be", { $0.underway = .opening(session, "a") }))
        faults.append(
            (
                "what is being closed is there until it is answered",
                { $0.underway = .closing(session, "a", nil, isAnswered: false) }
            ))
        faults.append(
            (
                "who has not been welcomed waits for nothing",
                {
                    $0.phase = .expectingHello
                    $0.underway = .diverged(session, "a")
                }
            ))
        for fault in faults {
            var state = ConnectionWorld.welcomed().state
            try state.checkInvariants()
            fault.plant(&state)
            #expect(throws: BrokenInvariant(law: fault.law)) { try state.checkInvariants() }
        }
    }
}
