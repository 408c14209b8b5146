import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("connection: hello")
struct ConnectionHelloTests {
    /// Rule H2.
    @Test("after authentication a connection joins the hub, and is then welcomed")
    func welcome() {
        let world = ConnectionWorld()
        #expect(
            world.says(
                #"{"type":"hello","protocol":1,"client":"alice-7f21","id":"h","units":["utf-9","utf-8"],"token":"t"}"#
            )
                == ["[authenticate t]", "[pause]"])
        #expect(
            world.happens {
                $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all)))
            } == ["[join ann alice-7f21]"])
        #expect(
            world.hubSent(.admitted(expiresIn: nil)) == [
                #"< {"type":"welcome","id":"h","protocol":1,"unit":"utf-8","server":"caret/test","user":"ann","#
                    + #""client":"p-alice-7f21","features":["follow","squash","exact","blame","notes"],"limits":{"line":26214400,"#
                    + #""document":4194304,"edits":10000,"documents":256,"selections":1000},"ping":20,"store":"k2v9"}"#,
                "[resume]",
            ])
    }

    /// Rule H8.
    @Test("the welcome announces the rate of pushes only if it is limited")
    func pushRate() {
        for (limit, isAnnounced) in [(nil, false), (5, true)] as [(Int?, Bool)] {
            let world = ConnectionWorld { $0.announced.pushesPerSecond = limit }
            world.says(ConnectionWorld.hello)
            world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
            #expect(
                world.hubSent(.admitted(expiresIn: nil))[0].contains(#""pushes_per_second":"#) == isAnnounced)
        }
    }

    /// Rule H8.
    @Test("the welcome says so if the user may write no document")
    func mostRights() throws {
        let read = Grant(.read, to: .prefix("notes/"))
        for (grants, rights) in [
            ([], "none"), ([read], "read"), ([read, Grant(.write, to: .prefix("drafts/"))], nil),
            ([Grant(.admin, to: .prefix("drafts/"))], nil),
        ] as [([Grant], String?)] {
            let welcome = try welcome(with: grants)
            #expect(welcome.contains(#"20,"store":"k2v9","rights":"#) == (rights != nil))
            if let rights { #expect(welcome.contains(#","rights":"\#(rights)"}"#)) }
        }
    }

    /// Rule H8.
    @Test("the welcome says what the user may write, if this is neither everything nor nothing")
    func writable() throws {
        let some = [
            Grant(.admin, to: .prefix("notes/")), Grant(.write, to: .prefix("notes/old/")),
            Grant(.write, to: .document(try DocumentName("agenda"))), Grant(.read, to: .prefix("")),
        ]
        #expect(
            try welcome(with: some).hasSuffix(
                #""grants":[{"rights":"write","doc":"agenda"},{"rights":"write","prefix":"notes/"}]}"#))
        for grants in [[], [Grant(.read, to: .prefix(""))], some + [Grant(.write, to: .prefix(""))]] {
            #expect(try !welcome(with: grants).contains("grants"))
        }
        let most = (0..<Welcome.mostGrants).map { Grant(.write, to: .prefix(ByteString("\(1_000 + $0)/"))) }
        #expect(try welcome(with: most).split(separator: "prefix").count == 101)
        #expect(try !welcome(with: most + [Grant(.write, to: .prefix("x"))]).contains("grants"))
    }

    private func welcome(with grants: [Grant]) throws -> String {
        let world = ConnectionWorld()
        world.says(ConnectionWorld.hello)
        let identity = Identity(user: "ann", token: 1, grants: try #require(Grants(grants)))
        world.happens { $0.authenticated(.known(identity)) }
        return world.hubSent(.admitted(expiresIn: nil))[0]
    }

    /// Rule H4.
    @Test("the first known unit in the hello is used, or UTF-16 if none is known")
    func units() {
        for (wish, unit) in [
            ("", "utf-16"), (#","units":[]"#, "utf-16"), (#","units":["utf-32","utf-8"]"#, "utf-32"),
            (#","units":["x"]"#, "utf-16"),
        ] {
            let world = ConnectionWorld()
            world.says(#"{"type":"hello","protocol":1,"client":"alice-7f21"\#(wish)}"#)
            world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
            #expect(world.hubSent(.admitted(expiresIn: nil))[0].contains(#""unit":"\#(unit)""#))
        }
    }

    @Test("lines after hello are processed only after the welcome")
    func linesBehindHello() {
        let world = ConnectionWorld()
        #expect(
            world.says(ConnectionWorld.hello, #"{"type":"ping","id":1}"#) == [
                "[authenticate nobody]", "[pause]",
            ])
        world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
        #expect(said(world.hubSent(.admitted(expiresIn: nil))) == ["welcome", #"{"type":"pong","id":1}"#])
    }

    /// Rules H1 and L9.
    @Test(
        "an invalid first line gets an error, and the connection closes",
        arguments: [
            (#"{"type":"ping","id":4}"#, "hello_required"),
            (#"{"type":"open","doc":"a"}"#, "hello_required"),
            (#"{"type":"nonsense"}"#, "hello_required"),
            ("{}", "hello_required"), (#"{"type":7}"#, "hello_required"),
            (#"{"type":"open"}"#, "hello_required"),
            (#"{"type":"list_tokens","after":"x"}"#, "hello_required"),
            ("GET / HTTP/1.1", "bad_json"),
            ("{", "bad_json"),
            ("[]", "bad_json"),
            (#"{"type":"hello","protocol":2,"client":"alice-7f21"}"#, "unsupported_protocol"),
            (#"{"type":"hello","protocol":1}"#, "bad_message"),
            (#"{"type":"hello","protocol":1,"client":"short"}"#, "bad_message"),
        ])
    func wrongFirst(line: String, code: String) {
        let world = ConnectionWorld()
        let words = world.says(line, ConnectionWorld.hello)
        #expect(said(words) == [code])
        #expect(words.contains("[end output]") && !words.contains("[leave]"))
        #expect(world.says(ConnectionWorld.hello) == [])
        #expect(world.pass(seconds: 1) == ["[close]"])
    }

    @Test("if the `info` of a hello is too large, the connection closes")
    func infoLimit() {
        for (count, isRefused) in [(1_024, false), (1_025, true)] {
            let world = ConnectionWorld()
            let info = #"{"n":""# + String(repeating: "x", count: count - 8) + #""}"#
            let words = world.says(
                #"{"type":"hello","protocol":1,"client":"alice-7f21","info":\#(info)}"#)
            #expect(said(words) == (isRefused ? ["too_large"] : []))
            #expect(words.contains("[end output]") == isRefused)
        }
    }

    /// Rule L1.
    @Test("a first line of 8 KiB is accepted, and one byte more is refused")
    func helloLimit() {
        for (count, isRefused) in [(8_192, false), (8_193, true)] {
            let hello = #"{"type":"hello","protocol":1,"client":"alice-7f21"}"#
            let blanks = String(repeating: " ", count: count - hello.utf8.count)
            let world = ConnectionWorld()
            #expect(said(world.says(hello + blanks)) == (isRefused ? ["line_too_long"] : []))
        }
        let world = ConnectionWorld()
        #expect(said(world.bytes(String(repeating: "x", count: 8_193))) == ["line_too_long"])
    }

    /// Rule H3.
    @Test("the hello must be complete within 10 s, however slowly it arrives")
    func helloDeadline() {
        let world = ConnectionWorld()
        #expect(world.wakes == [11_000])
        world.bytes("{")
        #expect(world.pass(seconds: 9.999) == [])
        #expect(said(world.pass(seconds: 0.001)) == ["hello_timeout"])
        let inTime = ConnectionWorld()
        inTime.pass(seconds: 9.999)
        inTime.says(ConnectionWorld.hello)
        #expect(inTime.pass(seconds: 60) == [])
    }

    @Test("a hello that arrives in pieces sets no deadline for the next line")
    func helloInPieces() {
        let world = ConnectionWorld { $0.pingSeconds = 1_000 }
        world.bytes(#"{"type":"hello","protocol":1,"#)
        world.says(#""client":"alice-7f21"}"#)
        world.admit()
        #expect(world.pass(seconds: 999) == [])
    }

    /// Rule H5.
    @Test("an unknown token and a failed token lookup get different errors")
    func unauthorized() {
        for (result, code) in [(Authentication.unknown, "unauthorized"), (.failed, "storage_failed")] {
            let world = ConnectionWorld()
            world.says(#"{"type":"hello","protocol":1,"client":"alice-7f21","token":"no","id":9}"#)
            let words = world.happens { $0.authenticated(result) }
            #expect(said(words) == [code])
            #expect(words[0].contains(#""id":9"#))
            #expect(words.dropFirst() == ["[end output]", "[resume]"])
        }
    }

    @Test("after too many unknown tokens the error says when to retry")
    func tooOften() {
        let world = ConnectionWorld()
        world.says(#"{"type":"hello","protocol":1,"client":"alice-7f21","token":"no","id":9}"#)
        let words = world.happens { $0.authenticated(.tooOften(retryAfterMilliseconds: 6_000)) }
        #expect(
            words == [
                #"< {"type":"error","id":9,"code":"rate_limited","message":"too many unknown tokens came from"#
                    + #" this address","retry_after_ms":6000}"#, "[end output]", "[resume]",
            ])
    }

    /// Rule H1.
    @Test("a second hello is refused, valid or not, and the connection stays open")
    func secondHello() {
        let world = ConnectionWorld.welcomed()
        #expect(said(world.says(ConnectionWorld.hello)) == ["already_hello"])
        #expect(
            said(world.says(#"{"type":"hello","protocol":7,"client":"alice-7f21"}"#)) == ["already_hello"])
        for malformed in [#"{"type":"hello"}"#, #"{"type":"hello","protocol":"x","client":7,"id":5}"#] {
            #expect(said(world.says(malformed)) == ["already_hello"])
        }
        // 20 malformed lines would close the connection, but a repeated hello does not count as malformed.
        for _ in 0..<20 { world.says(#"{"type":"hello"}"#) }
        #expect(said(world.says(#"{"type":"ping"}"#)) == [#"{"type":"pong"}"#])
    }

    @Test("a hub that is shutting down refuses new connections")
    func refused() {
        let world = ConnectionWorld()
        world.says(ConnectionWorld.hello)
        world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
        let words = world.hubSent(.refused(ErrorReport(.shuttingDown, "stopping")))
        #expect(said(words) == ["shutting_down"])
        #expect(words.contains("[leave]"))
    }
}
