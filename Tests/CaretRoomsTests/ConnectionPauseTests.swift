import CaretRooms
import CaretWire
import Testing

@Suite("connection: pauses and deadlines")
struct ConnectionPauseTests {
    private let tooSlow = #"{"type":"bye","reason":"too_slow"}"#
    private let first = #"{"type":"list","id":1}"#
    private let second = #"{"type":"list","id":2}"#

    /// The hub answers the request `first`. Returns the actions of the connection.
    private func answer(_ world: ConnectionWorld) -> [String] {
        world.hubSent(.answered(Envelope(.done(Done()), id: .number(1))))
    }

    @Test("a connection sets one timer for each deadline")
    func wakes() {
        let world = ConnectionWorld.welcomed()
        for _ in 0..<2 { world.pass(seconds: 10) }
        // The deadlines for the hello, for the next message of the client, and for the pong.
        #expect(world.wakes == [11_000, 21_000, 41_000])
    }

    /// Rule L3.
    @Test("a line's deadline excludes the time while the server paused reading")
    func pausedLine() {
        let world = ConnectionWorld.welcomed {
            $0.pingSeconds = 1_000
            $0.waitingOutput = 40
        }
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        world.bytes(" ")
        world.isWrittenAtOnce = false
        world.pass(seconds: 5)
        let line = String(repeating: "x", count: 60)
        #expect(world.room(line, to: 1) == ["< " + line, "[pause]"])
        world.pass(seconds: 20)
        #expect(world.written(61) == ["[resume]"])
        #expect(world.pass(seconds: 24) == [])
        #expect(said(world.pass(seconds: 1)) == [tooSlow])
    }

    @Test("a line that ends before a pause has no deadline and claims no memory")
    func endedLine() {
        let world = ConnectionWorld.welcomed {
            $0.pingSeconds = 1_000
            $0.waitingLines = 1
            $0.freeLine = 4
        }
        world.says(first)
        #expect(world.bytes(#"{"type":"list""#) == ["[claim 12]"])
        world.pass(seconds: 10)
        #expect(world.bytes(#","id":2}"# + "\n") == ["[release 12]", "[pause]"])
        #expect(answer(world) == [#"< {"type":"done","id":1}"#, "[ask list]", "[resume]"])
        #expect(world.pass(seconds: 25) == [])
    }

    @Test("a client's silence is measured from the end of a pause in reading")
    func silence() {
        let world = ConnectionWorld.welcomed { $0.waitingLines = 1 }
        world.says(first)
        #expect(world.says(second) == ["[pause]"])
        world.pass(seconds: 100)
        #expect(answer(world).last == "[resume]")
        #expect(world.pass(seconds: 19) == [])
        #expect(world.pass(seconds: 1) == [#"< {"type":"ping"}"#])
    }

    /// Rule O4.
    @Test("a request waits while the unwritten output exceeds the limit")
    func waitingOutput() {
        let done = #"{"type":"done","id":1}"#
        for excess in [0, 1] {
            let world = ConnectionWorld.welcomed { $0.waitingOutput = done.utf8.count + 1 - excess }
            world.isWrittenAtOnce = false
            world.says(first, second)
            #expect(answer(world) == ["< " + done, excess == 0 ? "[ask list]" : "[pause]"])
            if excess > 0 { #expect(world.written(1) == ["[ask list]", "[resume]"]) }
        }
    }

    /// Rule O2.
    @Test("messages about open documents overtake several waiting requests")
    func overtaking() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        #expect(world.says(first, second) == ["[ask list]"])
        #expect(world.says(#"{"type":"ping"}"#) == [#"< {"type":"pong"}"#])
        for message in [
            #"{"type":"push","doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#,
            #"{"type":"restore","doc":"a","epoch":"e","rev":0,"seq":1}"#,
        ] {
            #expect(world.says(message) == ["[room 7: push seq 1 s1 write]"])
        }
        // Document b is not open, so a restore of b must wait for the earlier requests.
        #expect(world.says(#"{"type":"restore","doc":"b","epoch":"e","rev":0,"seq":1}"#) == [])
    }

    @Test("input that waits is dropped once the connection begins to end")
    func waitingInput() {
        for ending in [
            HubMessage.ended(.replaced), .ended(.revoked), .ended(.tokenEnded),
            .shuttingDown(retryAfterMilliseconds: nil),
        ] {
            let world = ConnectionWorld.welcomed()
            world.says(first, second)
            #expect(world.state.waitingInput == second.utf8.count)
            world.hubSent(ending)
            #expect(world.state.waitingInput == 0)
        }
        let world = ConnectionWorld.welcomed()
        world.says(first)
        world.bytes(second + "\n  ")
        #expect(world.state.waitingInput == second.utf8.count + 2)
    }

    @Test("a slow client gets no `progress` messages, but gets the final answer")
    func progress() {
        let world = ConnectionWorld.welcomed { $0.waitingOutput = 32 }
        let progress = HubMessage.reported(
            Envelope(.admin(.progress(MaintenanceProgress(done: 1, of: 2))), id: .number(1)))
        world.says(#"{"type":"backup","id":1}"#)
        world.hubSent(.startedLongRequest)
        world.isWrittenAtOnce = false
        // Each `pong` has 16 bytes.
        for _ in 0..<2 { world.says(#"{"type":"ping"}"#) }
        #expect(said(world.hubSent(progress)).types == ["progress"])
        #expect(world.hubSent(progress) == [])
        let failed = ErrorReport(.storageFull, "the disk is full")
        #expect(said(world.hubSent(.reported(Envelope(.error(failed), id: .number(1))))) == ["storage_full"])
        var state = world.state
        #expect(state.longRequests == 0 && state.takeRefusals() == [.storageFull: 1])
    }

    /// Rule O8. Bytes are reported in portions of a quarter of the credit.
    @Test("if one write delivers lines of several rooms, each room is notified")
    func deliveredOfMany() {
        let world = ConnectionWorld.welcomed { $0.creditBytes = 20 }
        for (number, name) in ["a", "b", "c"].enumerated() {
            world.says(#"{"type":"open","doc":"\#(name)"}"#)
            world.opened(number + 1, in: Int64(number + 7))
        }
        world.isWrittenAtOnce = false
        for (line, session) in [
            ("12345", 1), ("67890", 1), ("12345", 2), ("6", 2), ("12345", 3), ("67890", 3), ("123456", 1),
        ] {
            world.room(line, to: session)
        }
        #expect(
            world.written(39) == [
                "[room 7: written s1 12]", "[room 8: written s2 8]", "[room 9: written s3 12]",
                "[room 7: written s1 7]",
            ])
    }

    /// Rule D14. If the close reaches the room before the session ends, the room never refuses it. The number
    /// of remembered closes is limited, because such a close would otherwise be remembered forever.
    @Test("a connection remembers as many refused closes as it may open documents")
    func refusedCloses() {
        let world = ConnectionWorld.welcomed { $0.announced.documents = 1 }
        for session in 1...2 {
            world.says(#"{"type":"open","doc":"a"}"#)
            world.opened(session)
            world.says(#"{"type":"close","doc":"a"}"#)
            #expect(said(world.ended(session)) == ["not_open"])
        }
        let late = #"{"type":"error","doc":"a","code":"not_open","message":""}"#
        #expect(said(world.room(late, to: 1)) == ["not_open"])
        #expect(world.room(late, to: 2) == [])
    }

    /// Rule D14.
    @Test("a close is refused only once if both its session and room are gone")
    func undeliveredClose() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        world.says(#"{"type":"close","id":8,"doc":"a"}"#)
        #expect(said(world.ended(1)) == ["not_open"])
        #expect(world.happens { $0.undelivered(.close(SessionID(1, number: 1), .number(8))) } == [])
    }
}
