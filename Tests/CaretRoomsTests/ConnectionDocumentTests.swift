import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("connection: requests about documents")
struct ConnectionDocumentTests {
    private func open(_ world: ConnectionWorld, _ name: String, _ session: Int) {
        world.says(#"{"type":"open","doc":"\#(name)"}"#)
        world.opened(session)
    }

    @Test("an open document cannot be opened again")
    func alreadyOpen() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        let words = world.says(#"{"type":"open","id":2,"doc":"a"}"#)
        #expect(said(words) == ["already_open"])
        #expect(words[0].contains(#""id":2,"doc":"a""#))
    }

    /// Rule P2.
    @Test(
        "a request that needs an open document is refused if none is open",
        arguments: [
            #"{"type":"close","id":1,"doc":"a"}"#,
            #"{"type":"select","id":1,"doc":"a","rev":0,"selections":[]}"#,
            #"{"type":"diverged","id":1,"doc":"a","rev":0}"#,
            #"{"type":"push","id":1,"doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#,
        ])
    func notOpen(line: String) {
        let words = ConnectionWorld.welcomed().says(line)
        #expect(said(words) == ["not_open"])
        #expect(words[0].contains(#""id":1,"doc":"a""#))
    }

    /// Rule B10.
    @Test("a connection can open no more documents than the limit")
    func documentsLimit() {
        let world = ConnectionWorld.welcomed { $0.announced.documents = 2 }
        open(world, "a", 1)
        open(world, "b", 2)
        #expect(said(world.says(#"{"type":"open","doc":"c"}"#)) == ["too_large"])
        world.says(#"{"type":"close","doc":"a"}"#)
        world.ended(1)
        #expect(world.says(#"{"type":"open","doc":"c"}"#) == ["[ask open c s3]"])
    }

    @Test("a connection has documents from the first open to the last close")
    func hasDocuments() {
        let world = ConnectionWorld.welcomed()
        #expect(!world.state.hasDocuments)
        world.says(#"{"type":"open","doc":"a"}"#)
        #expect(world.state.hasDocuments)
        world.opened(1)
        world.says(#"{"type":"close","doc":"a"}"#)
        #expect(world.state.hasDocuments)
        world.ended(1)
        #expect(!world.state.hasDocuments)
    }

    /// The number of a session has 28 bits.
    @Test("a connection that has used all session numbers can open no document")
    func sessionNumbers() {
        let world = ConnectionWorld(sessionsAfter: 1 << 28 - 2)
        world.says(ConnectionWorld.hello)
        world.admit()
        #expect(world.says(#"{"type":"open","doc":"a"}"#) == ["[ask open a s\(1 << 28 - 1)]"])
        world.opened(1 << 28 - 1)
        #expect(said(world.says(#"{"type":"open","doc":"b"}"#)) == ["overloaded"])
    }

    /// Rule T1. Every message that names a document is checked.
    @Test(
        "an invalid document name is refused in every request",
        arguments: ["", "a//b", "/a", "a/", ".", "a/..", "a\\u0000b", " a", "a /b", "a\\u0085"])
    func badName(name: String) {
        let world = ConnectionWorld.welcomed()
        for line in [
            #"{"type":"open","doc":"\#(name)"}"#,
            #"{"type":"push","doc":"\#(name)","base":0,"seq":1,"text":"","create":true}"#,
            #"{"type":"restore","doc":"\#(name)","epoch":"e","rev":0,"seq":1}"#,
            #"{"type":"read","doc":"\#(name)"}"#, #"{"type":"history","doc":"\#(name)"}"#,
            #"{"type":"rename","doc":"\#(name)","to":"b"}"#, #"{"type":"rename","doc":"b","to":"\#(name)"}"#,
            #"{"type":"delete","doc":"\#(name)"}"#,
        ] {
            #expect(said(world.says(line)) == ["bad_name"])
        }
    }

    /// Rule T1.
    @Test("a name of 512 bytes is valid, and a longer one is refused")
    func nameLimit() {
        let world = ConnectionWorld.welcomed()
        let name = String(repeating: "é", count: 256)
        #expect(said(world.says(#"{"type":"read","doc":"\#(name)x"}"#)) == ["bad_name"])
        #expect(world.says(#"{"type":"read","doc":"\#(name)"}"#) == ["[ask read \(name)]"])
    }

    @Test("pushes and restores have a rate limit; a burst may be twice the rate")
    func rateLimit() {
        let world = ConnectionWorld.welcomed { $0.announced.pushesPerSecond = 5 }
        open(world, "a", 1)
        let push = #"{"type":"push","id":1,"doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#
        let restore = #"{"type":"restore","id":1,"doc":"a","epoch":"e","rev":0,"seq":9}"#
        for number in 0..<10 { #expect(said(world.says(number % 2 == 0 ? push : restore)) == []) }
        let words = world.says(push)
        #expect(said(words) == ["rate_limited"])
        #expect(
            words[0].contains(#""id":1,"doc":"a","seq":1,"#) && words[0].contains(#""retry_after_ms":200"#))
        world.pass(seconds: 0.199)
        #expect(said(world.says(push)) == ["rate_limited"])
        world.pass(seconds: 0.001)
        #expect(said(world.says(push)) == [])
        world.pass(seconds: 100)
        for _ in 0..<10 { #expect(said(world.says(restore)) == []) }
        #expect(said(world.says(restore)) == ["rate_limited"])
    }

    @Test("without a rate limit all pushes are accepted")
    func noRateLimit() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        for _ in 0..<1_000 {
            world.says(#"{"type":"push","doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#)
        }
        #expect(world.says(#"{"type":"ping"}"#) == [#"< {"type":"pong"}"#])
    }

    @Test("a push of a whole text to a closed document is sent to the hub")
    func guestPush() {
        let world = ConnectionWorld.welcomed()
        #expect(
            world.says(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#)
                == ["[ask push a seq 1 s0 create]"])
        #expect(
            world.says(#"{"type":"restore","doc":"a","epoch":"e","rev":0,"seq":2}"#) == [])
        #expect(
            world.room(#"{"type":"ack"}"#, to: 0) == [#"< {"type":"ack"}"#, "[ask push a seq 2 s0]"])
    }

    @Test("each push goes to the room together with the pusher's current rights")
    func rights() {
        let notes = Grants([Grant(.write, to: .prefix("n"))])
        let read = Grants([Grant(.read, to: .prefix(""))])
        let world = ConnectionWorld.welcomed(notes!)
        open(world, "n", 1)
        let push = #"{"type":"push","doc":"n","epoch":"e","base":0,"seq":1,"edits":[]}"#
        #expect(world.says(push) == ["[room 7: push seq 1 s1 write]"])
        world.hubSent(.grants(read!))
        #expect(world.says(push) == ["[room 7: push seq 1 s1 read]"])
    }

    @Test("rights that change before an open apply to pushes after the open")
    func earlierRights() {
        let world = ConnectionWorld()
        world.says(ConnectionWorld.hello)
        world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
        world.hubSent(.grants(Grants([Grant(.read, to: .prefix(""))])!))
        world.hubSent(.admitted(expiresIn: nil))
        for (session, rights) in [(1, "read"), (2, "write")] {
            open(world, "n\(session)", session)
            let place = #""epoch":"e","base":0,"seq":1,"edits":[]"#
            #expect(
                world.says(#"{"type":"push","doc":"n\#(session)",\#(place)}"#) == [
                    "[room 7: push seq 1 s\(session) \(rights)]"
                ])
            world.hubSent(.grants(.all))
        }
    }

    /// Lines of the connection itself do not use credit, so the room is not notified of them.
    @Test("a room is notified whenever a quarter of its credit has been written")
    func credit() {
        let world = ConnectionWorld.welcomed { $0.creditBytes = 20 }
        open(world, "a", 1)
        world.isWrittenAtOnce = false
        #expect(world.room("12345678", to: 1) == ["< 12345678"])
        world.says(#"{"type":"ping"}"#)
        world.room("123", to: 1)
        #expect(world.written(4) == [])
        #expect(world.written(1) == ["[room 7: written s1 5]"])
        #expect(world.written(14) == [])
        #expect(world.written(8) == ["[room 7: written s1 6]"])
        #expect(world.written(99) == [])
    }

    @Test("after a room ends a session, its document can be opened again")
    func ended() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        world.room(#"{"type":"gone"}"#, to: 1)
        world.ended(1)
        #expect(said(world.says(#"{"type":"close","doc":"a"}"#)) == ["not_open"])
        #expect(world.ended(1) == [])
        #expect(world.says(#"{"type":"open","doc":"a"}"#) == ["[ask open a s2]"])
    }

    /// Rule D14.
    @Test("a close gets an answer even if the room ends the session meanwhile")
    func crossingClose() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        world.says(#"{"type":"close","id":8,"doc":"a"}"#)
        let words = world.ended(1)
        #expect(said(words) == ["not_open"])
        #expect(words[0].contains(#""id":8"#))
    }

    /// Rule D14. If the room refuses the close as well, the connection drops the room's refusal.
    @Test("a close gets only one answer if the room ends the session meanwhile")
    func lateClose() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        world.says(#"{"type":"close","id":8,"doc":"a"}"#)
        #expect(said(world.ended(1)) == ["not_open"])
        // Although the session has ended, the client gets the room's answer to an earlier push.
        let push = #"{"type":"error","doc":"a","seq":3,"code":"not_found","message":""}"#
        #expect(said(world.room(push, to: 1)) == ["not_found"])
        let close = #"{"type":"error","id":8,"doc":"a","code":"not_open","message":""}"#
        #expect(world.room(close, to: 1) == [])
        #expect(said(world.room(close, to: 1)) == ["not_open"])
    }

    @Test("a request to a room that was dropped is answered with an error")
    func undelivered() {
        let world = ConnectionWorld.welcomed()
        open(world, "a", 1)
        var event: RoomEvent?
        _ = world.happens { state in
            let line = #"{"type":"push","id":3,"doc":"a","epoch":"e","base":0,"seq":4,"edits":[]}"# + "\n"
            let actions = state.received(Array(line.utf8), at: world.now)
            if case .sendToRoom(_, let told) = actions.first { event = told }
            return actions
        }
        let words = world.happens { $0.undelivered(event!) }
        #expect(said(words) == ["not_found"])
        #expect(words[0].contains(#""id":3,"doc":"a","seq":4"#))
        world.says(#"{"type":"close","id":9,"doc":"a"}"#)
        #expect(
            said(world.happens { $0.undelivered(.close(SessionID(1, number: 1), .number(9))) }) == [
                "not_open"
            ])
    }

    @Test("after documents for a follower are written, the hub is notified")
    func follow() {
        let world = ConnectionWorld.welcomed()
        world.isWrittenAtOnce = false
        #expect(world.says(#"{"type":"follow","id":1}"#) == ["[ask follow]"])
        let summary = DocumentSummary(document: "a", epoch: "e", revision: 0, length: 0, updated: 0)
        let words = world.hubSent(.documents([.document(summary), .document(summary)]))
        #expect(words.count == 2)
        let bytes = words[0].utf8.count - 1
        #expect(world.written(2 * bytes - 1) == [])
        #expect(world.written(1) == ["[delivered documents]"])
        #expect(world.hubSent(.documents([])) == ["[delivered documents]"])
    }
}
