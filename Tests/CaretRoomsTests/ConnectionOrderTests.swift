import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Testing

@Suite("connection: order of requests")
struct ConnectionOrderTests {
    private let push = #"{"type":"push","doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#

    /// Rule O1.
    @Test("a push right after `open` is sent to the room once `opened` is sent")
    func pushBehindOpen() {
        let world = ConnectionWorld.welcomed()
        #expect(world.says(#"{"type":"open","doc":"a"}"#, push) == ["[ask open a s1]"])
        #expect(world.hubSent(.assignedRoom(SessionID(1, number: 1), DocumentID(7))) == [])
        #expect(
            world.room(#"{"type":"opened"}"#, to: 1) == [
                #"< {"type":"opened"}"#, "[room 7: push seq 1 s1 write]",
            ])
    }

    @Test("a push that waits for an open is refused if the open is refused")
    func pushBehindRefusal() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","id":1,"doc":"a"}"#, push)
        let refusal = Envelope(ServerMessage.error(ErrorReport(.notFound, "no")), id: .number(1))
        #expect(said(world.hubSent(.answered(refusal))) == ["not_found", "not_open"])
    }

    /// Rule O2.
    @Test("requests are run one at a time, in the order sent")
    func oneAtATime() {
        let world = ConnectionWorld.welcomed()
        #expect(
            world.says(
                #"{"type":"list","id":1}"#, #"{"type":"read","id":2,"doc":"a"}"#,
                #"{"type":"push","id":3,"doc":"b","base":0,"seq":1,"text":"x"}"#)
                == ["[ask list]"])
        #expect(world.hubSent(.answered(Envelope(.done(Done()), id: .number(1)))).last == "[ask read a]")
        #expect(
            world.hubSent(.answered(Envelope(.done(Done()), id: .number(2)))).last == "[ask push b seq 1 s0]")
        #expect(world.room(#"{"type":"ack","id":3}"#, to: 0) == [#"< {"type":"ack","id":3}"#])
        #expect(world.says(#"{"type":"list","id":4}"#) == ["[ask list]"])
    }

    /// Rule O2.
    @Test("messages about open documents do not wait for other requests")
    func othersGoOn() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        world.says(#"{"type":"list"}"#)
        #expect(world.says(push) == ["[room 7: push seq 1 s1 write]"])
        #expect(world.says(#"{"type":"ping"}"#) == [#"< {"type":"pong"}"#])
        #expect(
            world.says(#"{"type":"select","doc":"a","rev":0,"selections":[]}"#) == ["[room 7: select s1]"])
    }

    /// Rule O1.
    @Test("messages about a document wait for earlier requests about it, in order")
    func sameDocument() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        #expect(
            world.says(
                #"{"type":"rename","doc":"b","to":"a"}"#, push,
                #"{"type":"select","doc":"a","rev":0,"selections":[]}"#)
                == ["[ask rename b to a]"])
        #expect(
            world.room(#"{"type":"error"}"#, to: 0) == [
                #"< {"type":"error"}"#, "[room 7: push seq 1 s1 write]", "[room 7: select s1]",
            ])
    }

    @Test("a closed document can be reopened at once, with a new session")
    func openBehindClose() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        #expect(
            world.says(#"{"type":"close","id":5,"doc":"a"}"#, #"{"type":"open","doc":"a"}"#)
                == ["[room 7: close s1]"])
        #expect(said(world.room(#"{"type":"closed","id":5}"#, to: 1)) == [#"{"type":"closed","id":5}"#])
        #expect(world.ended(1) == ["[ask open a s2]"])
    }

    @Test("a client can reopen a document right after it reports divergence")
    func openBehindDiverged() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        #expect(
            world.says(#"{"type":"diverged","doc":"a","rev":4}"#, #"{"type":"open","doc":"a"}"#)
                == ["[room 7: diverged s1]"])
        #expect(world.ended(1) == ["[ask open a s2]"])
    }

    /// Rule O3.
    @Test("input is paused once 64 lines wait", arguments: [63, 64])
    func waitingLines(count: Int) {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"list","id":0}"#)
        let lines = (1...count).map { "{\"type\":\"list\",\"id\":\($0)}\n" }.joined()
        #expect(world.bytes(lines) == (count == 64 ? ["[pause]"] : []))
        for number in 0..<count {
            let words = world.hubSent(.answered(Envelope(.done(Done()), id: .number(number))))
            #expect(words[0] == "< {\"type\":\"done\",\"id\":\(number)}")
            #expect(words.contains("[ask list]"))
            #expect(words.contains("[resume]") == (count == 64 && number == 0))
        }
    }

    /// Rule O3.
    @Test("input is paused once waiting lines have more bytes than the limit", arguments: [24, 25])
    func waitingBytes(count: Int) {
        let world = ConnectionWorld.welcomed { $0.waitingLineBytes = 24 }
        world.says(#"{"type":"list"}"#)
        let list = #"{"type":"list"}"#
        let line = list + String(repeating: " ", count: count - list.utf8.count)
        #expect(world.says(line) == (count == 25 ? ["[pause]"] : []))
    }

    @Test("one waiting line over the byte limit is kept, but pauses the input")
    func longWaitingLine() {
        let world = ConnectionWorld.welcomed { $0.waitingLineBytes = 10 }
        world.says(#"{"type":"list","id":1}"#)
        #expect(world.says(#"{"type":"list","id":2}"#, #"{"type":"ping"}"#) == ["[pause]"])
        #expect(
            world.hubSent(.answered(Envelope(.done(Done()), id: .number(1)))) == [
                #"< {"type":"done","id":1}"#, "[ask list]", #"< {"type":"pong"}"#, "[resume]",
            ])
    }

    @Test(
        "splitting the input into pieces does not change what a connection does", arguments: [1, 2, 3, 7, 50])
    func pieces(size: Int) {
        let text = """
            {"type":"list","id":1}
            {"type":"ping","id":2}
            {"type":"read","id":3,"doc":"a"}
            {"type":"close","id":4,"doc":"b"}

            """
        let whole = ConnectionWorld.welcomed()
        let piecewise = ConnectionWorld.welcomed()
        let bytes = Array(text.utf8)
        var words: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            words += piecewise.bytes(String(decoding: piece, as: UTF8.self))
        }
        #expect(whole.bytes(text) == words)
    }
}
