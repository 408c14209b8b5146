import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// With the framing `messages`, the caller says where a message ends, as a WebSocket does.
@Suite("connection: messages whose end the caller reports")
struct ConnectionMessageTests {
    private let ping = #"{"type":"ping"}"#
    private let pong = #"< {"type":"pong"}"#

    private func welcomed(_ change: (inout Limits) -> Void = { _ in }) -> ConnectionWorld {
        let world = ConnectionWorld(framing: .messages, change)
        world.bytes(ConnectionWorld.hello)
        #expect(world.endMessage() == ["[authenticate nobody]", "[pause]"])
        world.admit()
        return world
    }

    @Test("a line end does not end a message, and empty messages are ignored")
    func framing() {
        let world = welcomed()
        #expect(world.endMessage() == [])
        #expect(world.bytes("{\n\"type\":\r\n") == [] && world.bytes("\"ping\"}\n") == [])
        #expect(world.endMessage() == [pong])
        world.bytes("x")
        #expect(said(world.endMessage()) == ["bad_json"])
    }

    @Test("a message at the limit is accepted, one more byte ends the connection")
    func limit() {
        for (count, expected) in [(100, [#"{"type":"pong"}"#]), (101, ["line_too_long"])] {
            let world = welcomed { $0.announced.line = 100 }
            let words = world.bytes(ping + String(repeating: " ", count: count - ping.utf8.count))
            #expect(said(words + world.endMessage()) == expected)
        }
    }

    @Test("memory for a long message is claimed and released when the caller asks")
    func claims() {
        let world = welcomed()
        let step = String(repeating: " ", count: 65_536)
        let claim = { world.happens { $0.claimForMessage() } }
        #expect(world.bytes(step + " ") == [] && claim() == ["[claim 65536]"] && claim() == [])
        #expect(world.bytes(step + ping) == [] && claim() == ["[claim 65536]"])
        #expect(world.endMessage() == [pong] && claim() == ["[release 131072]"])
    }

    @Test("each message must be complete 30 s after its first byte")
    func deadline() {
        let world = welcomed { $0.pingSeconds = 1_000 }
        // The hello does not count as an incomplete message.
        #expect(world.pass(seconds: 60) == [])
        world.bytes(ping)
        world.pass(seconds: 29)
        #expect(world.endMessage() == [pong] && world.pass(seconds: 29) == [])
        world.bytes(" ")
        #expect(world.pass(seconds: 29.999) == [])
        #expect(said(world.pass(seconds: 0.001)) == [#"{"type":"bye","reason":"too_slow"}"#])
    }

    @Test("a message that is read late is handled before deadlines are checked")
    func readLate() {
        let world = welcomed { $0.pingSeconds = 1_000 }
        world.bytes(ping)
        world.passUnnoticed(seconds: 60)
        #expect(world.endMessage() == [pong])
        // The deadlines for output are checked after the message is handled.
        world.isWrittenAtOnce = false
        for seconds in [0.0, 31] {
            world.bytes(ping)
            world.passUnnoticed(seconds: seconds)
            let tooSlow = #"{"type":"bye","reason":"too_slow"}"#
            #expect(said(world.endMessage()) == [#"{"type":"pong"}"#] + (seconds == 0 ? [] : [tooSlow]))
        }
    }

    @Test(
        "only the first push of a client that the server has named needs no lookup", arguments: [true, false])
    func newClient(isNew: Bool) {
        var state = ConnectionState(
            1, settings: .sample(Limits()), isNewClient: isNew, at: 1_000)
        func says(_ line: String) -> [ConnectionAction] { state.received(Array("\(line)\n".utf8), at: 1_000) }
        _ = state.start() + says(ConnectionWorld.hello)
        _ = state.authenticated(.known(Identity(user: "ann", token: 1, grants: .all)))
        _ = state.hubSent(.admitted(expiresIn: nil))
        for (seq, isFirst) in [(1, isNew), (2, false)] {
            let push = #"{"type":"push","doc":"a","epoch":"1.1","base":0,"seq":\#(seq),"text":"x"}"#
            let flags = says(push).compactMap { action -> Bool? in
                guard case .ask(let request) = action, case .push(_, let push, _) = request.question else {
                    return nil
                }
                return push.isOfNewClient
            }
            #expect(flags == [isFirst])
            _ = state.hubSent(
                .answered(Envelope(.error(ErrorReport(.notFound, "there is no such document")))))
        }
    }
}
