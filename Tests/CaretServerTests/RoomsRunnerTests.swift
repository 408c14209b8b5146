import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWeb
import CaretWire
import TestSupport
import Testing

@Suite("Rooms on their queue, step by step")
struct RoomsRunnerTests {
    /// Remembers the last room that ended a drain.
    private final class Observer: StateObserver {
        let document = Shared<DocumentID?>(nil)
        /// How many drains rooms have ended.
        let endings = Shared(0)
        let windowBytes = Shared(0)

        func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
            room.handle(event, at: time)
        }

        func endGathering(of room: inout RoomState) -> [RoomAction] {
            let actions = room.endGathering()
            let (id, bytes) = (room.log.document, room.windowBytes)
            document.change { $0 = id }
            endings.change { $0 += 1 }
            windowBytes.change { $0 = bytes }
            return actions
        }

        func saw(_ hub: HubState) {}

        func saw(_ connection: ConnectionState) {}

        func saw(_ web: WebState) {}
    }

    /// A server with an open document that has one change. Returns the client too.
    private func opened(_ observer: Observer, limits: Limits = Limits()) throws -> (HandServer, HandPort) {
        let server = try HandServer(limits: limits, observer: observer)
        let ann = server.greeted("ann-client")
        ann.open()
        server.run()
        ann.push(1)
        server.run()
        #expect(ann.output.contains(#"{"type":"ack","doc":"a","seq":1,"#))
        return (server, ann)
    }

    /// Sends the room an event that changes nothing.
    private func poke(_ document: DocumentID, _ server: HandServer) {
        server.switchboard.send(
            .connectionEvent(document, .timePassed, from: ConnectionID(1)), to: document)
    }

    @Test("a room is dropped in time if its last session left at a due wake")
    func wakeAfterWake() throws {
        let (server, ann) = try opened(Observer())
        defer { server.close() }
        let alarm = try #require(server.rooms.alarms.value.first)
        let (check, drop) = (server.clock.now.after(seconds: 5), server.clock.now.after(seconds: 65))
        server.clock.advance(milliseconds: 5_000)
        // The room is due to send a check. The session leaves before the alarm fires.
        ann.lose()
        server.run()
        #expect(alarm.settings.value == [check, drop])
        server.clock.advance(milliseconds: 60_000)
        server.fireAlarms()
        server.run()
        #expect(server.board.counts[.roomsOpened] == 1 && server.board.counts.openRooms == 0)
        // The alarm was set only twice: for the check and for the drop.
        #expect(alarm.settings.value == [check, drop])
    }

    @Test("a push that waits for others is appended after 200 µs")
    func waiting() throws {
        let (server, ann) = try opened(Observer())
        defer { server.close() }
        let bob = server.greeted("bob-client")
        bob.open()
        server.run()
        // Bob's push arrives while ann's is being appended, so after that the room waits for ann.
        ann.push(2)
        bob.receive(
            #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,0],"text":"y"}]}"#)
        server.run()
        #expect(ann.output.contains(#""seq":2,"rev":2"#) && !bob.output.contains("ack"))
        server.clock.advance(microseconds: 199)
        server.run()
        #expect(!bob.output.contains("ack"))
        server.clock.advance(microseconds: 1)
        server.run()
        #expect(bob.output.contains(#"{"type":"ack","doc":"a","seq":1,"rev":3"#))
    }

    @Test("carets within 50 ms are sent when the timer of the room's queue fires")
    func presenceTick() throws {
        let (server, ann) = try opened(Observer())
        defer { server.close() }
        let bob = server.greeted("bob-client")
        bob.open()
        server.run()
        ann.receive(#"{"type":"select","doc":"a","rev":1,"selections":[[0,0]]}"#)
        server.run()
        #expect(bob.output.contains(#""rev":1,"selections":[[0,0]]}"#))
        for place in [1, 0, 1] {
            ann.receive(#"{"type":"select","doc":"a","rev":1,"selections":[[0,\#(place)]]}"#)
            server.run()
        }
        server.clock.advance(milliseconds: 49)
        server.fireAlarms()
        server.run()
        #expect(!bob.output.contains("[[0,1]]"))
        server.clock.advance(milliseconds: 1)
        server.fireAlarms()
        server.run()
        #expect(bob.output.hasSuffix(#""rev":1,"selections":[[0,1]]}"# + "\n"))
        #expect(bob.output.split(separator: "\n").count { $0.contains(#""type":"peer""#) } == 2)
        #expect(!ann.output.contains(#""type":"peer""#))
    }

    @Test("the hub learns of commits only while a connection follows documents")
    func commits() throws {
        let (server, ann) = try opened(Observer())
        defer { server.close() }
        let before = server.hub.enqueued.value
        ann.push(2)
        server.run()
        #expect(server.hub.enqueued.value == before)
        ann.receive(#"{"type":"follow","id":1}"#)
        server.run()
        let following = server.hub.enqueued.value
        ann.push(3)
        server.run()
        #expect(server.hub.enqueued.value > following)
    }

    @Test("a drain reads the clock once if it sends no answer that is measured")
    func clockReads() throws {
        let observer = Observer()
        let (server, _) = try opened(observer)
        defer { server.close() }
        poke(try #require(observer.document.value), server)
        let before = server.clockReads.value
        server.rooms.turn()
        #expect(server.clockReads.value == before + 1)
    }

    @Test("rooms keep less history in memory if their common budget is small")
    func windows() throws {
        var limits = Limits()
        limits.windowBytes = 128 << 10
        for (budget, range) in [(1 << 20, (100 << 10)...(128 << 10)), (1, 1...(16 << 10))] {
            limits.windowBudget = budget
            let observer = Observer()
            let (server, ann) = try opened(observer, limits: limits)
            defer { server.close() }
            for seq in 2...60 {
                ann.push(seq, String(repeating: "x", count: 1_000))
                server.run()
            }
            #expect(range.contains(observer.windowBytes.value), "\(budget): \(observer.windowBytes.value)")
        }
    }
}
