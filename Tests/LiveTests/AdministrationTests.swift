import Foundation
import Testing

@Suite("Administering a server", .onOwnThread) struct AdministrationTests {
    @Test(
        "counters show connections, pushes, commits, refusals and bytes",
        arguments: Transport.lines(and: .webSocket))
    func counters(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        let began = ContinuousClock.now
        let before = try server.counted()
        #expect(before["connections"] == 2 && before["pushes"] == 0 && before["commits"] == 0)
        try server.write("a", "one", "two", "three")
        let bob = try server.live.connect()
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"a"}"#)
        try bob.expect(#"{"type":"opened","doc":"a",…"#)
        try server.write("b", "x")
        try server.ann.send(#"{"type":"read","doc":"missing"}"#)
        try server.ann.expect(#"{"type":"error","doc":"missing","code":"not_found",…"#)
        try server.ann.send(
            #"{"type":"push","doc":"a","base":0,"seq":9,"edits":[{"range":[9,9],"text":""}]}"#)
        try server.ann.expect(#"{"type":"error","doc":"a","seq":9,…"#)
        let after = try server.counted {
            $0["pushes"] == 5 && $0["ack"] == 4 && $0["opening"] == 3 && $0["refused_not_found"] == 1
                && $0["connections"] == 3 && $0["commit"] == $0["commits"]
        }
        #expect(after["connections"] == 3 && after["connections_opened"] == 3 && after["open_rooms"] == 2)
        #expect(after["pushes"] == 5 && after["changes"] == 4 && after["refused_not_found"] == 1)
        #expect(after["commit"] == after["commits"] && after["commits", default: 0] >= 6)
        #expect(after["ack"] == 4 && after["opening"] == 3)
        // No latency is longer than the test so far.
        let line = try server.ask(#"{"type":"counters"}"#)
        let largest = line.matches(of: #/"max":(\d+)/#).compactMap { Double($0.1) }
        let longest = (ContinuousClock.now - began) / .nanoseconds(1)
        #expect(largest.contains { $0 > 0 } && largest.allSatisfy { $0 <= longest }, "\(line)")
        #expect(after["bytes_in", default: 0] > 500 && after["bytes_out", default: 0] > 500)
        try server.ann.send(#"{"type":"push","doc":"b","base":0,"seq":2,"text":"y"}"#)
        try server.ann.expect(#"{"type":"error","doc":"b","seq":2,"code":"epoch_changed",…"#)
        let refused = after["refused_epoch_changed", default: 0] + 1
        let last = try server.counted { $0["refused_epoch_changed"] == refused }
        #expect(last["refused_epoch_changed"] == refused)
        try bob.endOutput()
        try bob.expectEnd()
        #expect(try server.counted { $0["connections"] == 2 }["connections"] == 2)
    }

    @Test(
        "the time until another session gets a change is measured",
        arguments: Transport.lines(and: .secureLines))
    func delivery(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one")
        let bob = try server.live.connect()
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"a"}"#)
        try bob.expect(#"{"type":"opened","doc":"a",…"#)
        try server.ann.send(#"{"type":"select","doc":"a","rev":1,"selections":[]}"#)
        try bob.expect(#"{"type":"peer",…"#)
        try bob.send(#"{"type":"read","doc":"a"}"#)
        let text = try #require(try bob.next())
        let epoch = try #require(
            Pattern(#"{"type":"text","doc":"a","epoch":"⟨epoch⟩",…"#).matches(text)?["epoch"])
        try server.ann.send(#"{"type":"push","doc":"a","epoch":"\#(epoch)","base":1,"seq":2,"text":"two"}"#)
        try bob.expect(#"{"type":"change","doc":"a","rev":2,…"#)
        let after = try server.counted { $0["deliveries"] == 1 && $0["delivery"] == 1 }
        #expect(after["deliveries"] == 1 && after["delivery"] == 1)
    }

    @Test(
        "missed changes count as deliveries, but their latency is not measured",
        arguments: Transport.lines(and: .secureWebSocket))
    func missedChanges(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two", "three")
        let epoch = try server.epoch(of: "a")
        // After the server has restarted, the room must read the revisions 1 to 3 from the store.
        try server.live.kill()
        let again = try AdministeredServer(server.live.startAgain())
        func push(_ revision: Int) throws {
            try again.ann.send(
                #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":\#(revision - 1),"seq":\#(revision),"text":"\#(revision)"}"#
            )
            try again.ann.expect(#"{"type":"ack","doc":"a","seq":\#(revision),"rev":\#(revision),…"#)
        }
        let (bob, eve) = (try again.live.connect(), try again.live.connect())
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"a"}"#)
        try bob.expect(#"{"type":"opened","doc":"a",…"#)
        try push(4)
        try eve.greet(as: "eve-client")
        try eve.send(#"{"type":"open","doc":"a","epoch":"\#(epoch)","rev":1}"#)
        try eve.expect(#"{"type":"opened","doc":"a",…,"rev":1,"resumed":true,…"#)
        for revision in 2...4 { try eve.expect(#"{"type":"change","doc":"a","rev":\#(revision),…"#) }
        try push(5)
        // These are six deliveries: Bob gets the changes 4 and 5, and Eve gets the changes 2 to 5. Eve has
        // missed the changes 2 to 4, so their latency is not measured.
        let after = try again.counted { $0["deliveries"] == 6 && $0["delivery", default: 0] >= 3 }
        #expect(after["deliveries"] == 6 && after["delivery"] == 3)
    }

    @Test("`who` lists each connection with its address", arguments: Transport.lines(and: .webSocket))
    func who(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one")
        let admin = try LineClient(server.live, at: .adminSocket)
        try admin.greet(as: "socket-client")
        try admin.send(#"{"type":"who","id":1}"#)
        let line = try #require(try admin.next())
        let anonymous =
            #"{"number":…,"user":"anonymous","client":"p-…","peer":"127.0.0.1:…","since":…"#
        let wanted =
            #"{"type":"present","id":1,"connections":[\#(anonymous),"docs":[]},\#(anonymous),"docs":["a"]},{"number":…,"user":"admin","client":"p-…","peer":"unix","since":…,"docs":[]}]}"#
        #expect(Pattern(wanted).matches(line) != nil, "\(line)")
    }

    /// Rule A8.
    @Test("`undelete` restores a document with its history", arguments: Transport.lines(and: .secureLines))
    func undelete(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two")
        try server.ann.send(#"{"type":"close","doc":"a"}"#)
        try server.ann.expect(#"{"type":"closed","doc":"a"}"#)
        #expect(try server.ask(#"{"type":"delete","doc":"a"}"#) == #"{"type":"done"}"#)
        let listed = try server.ask(#"{"type":"list_deleted","id":1}"#)
        let wanted =
            #"{"type":"deleted","id":1,"docs":[{"number":⟨number⟩,"doc":"a","rev":2,"length":3,"updated":…,"deleted":…}]}"#
        let number = try #require(Pattern(wanted).matches(listed)?["number"])
        // The room takes some time to close. Until then the answer is `overloaded`, so send the request
        // again.
        var answer = ""
        for attempt in 0..<10_000 where attempt == 0 || answer.contains(#""code":"overloaded""#) {
            answer = try server.ask(#"{"type":"undelete","number":\#(number)}"#)
        }
        #expect(answer == #"{"type":"done"}"#)
        #expect(try server.counted { $0["open_rooms"] == 0 }["open_rooms"] == 0)
        let text = try server.ask(#"{"type":"read","doc":"a","rev":1}"#)
        #expect(text.contains(#""text":"one""#))
    }

    /// Rule A9.
    @Test(
        "`trim` removes old revisions; a dry run only counts them",
        arguments: Transport.lines(and: .secureWebSocket))
    func trim(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two", "three")
        #expect(
            try server.ask(#"{"type":"trim","id":1,"doc":"a","rev":2,"dry_run":true}"#)
                == #"{"type":"trimmed","id":1,"doc":"a","start":2,"revisions":2,"dry_run":true}"#)
        #expect(try server.ask(#"{"type":"read","doc":"a","rev":1}"#).contains(#""text":"one""#))
        #expect(
            try server.ask(#"{"type":"trim","id":2,"doc":"a","rev":2}"#)
                == #"{"type":"trimmed","id":2,"doc":"a","start":2,"revisions":2}"#)
        #expect(try server.ask(#"{"type":"read","doc":"a","rev":1}"#).contains(#""code":"base_trimmed""#))
        #expect(try server.ask(#"{"type":"read","doc":"a","rev":2}"#).contains(#""text":"two""#))
        // A client that has the document open is not affected.
        try server.ann.send(#"{"type":"ping"}"#)
        try server.ann.expect(#"{"type":"pong"}"#)
    }

    /// Rule A10.
    @Test(
        "trimmed revisions cannot be used, even in an open document",
        arguments: Transport.lines(and: .webSocket))
    func trimWhileOpen(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two", "three")
        let epoch = try server.epoch(of: "a")
        let trimmed = #""type":"trimmed","doc":"a","start":2,"revisions":2"#
        #expect(try server.ask(#"{"type":"trim","doc":"a","rev":2}"#) == "{\(trimmed)}")
        let bob = try server.live.connect()
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"a","epoch":"\#(epoch)","rev":1}"#)
        try bob.expect(#"{"type":"opened","doc":"a",…,"rev":3,"resumed":false,"text":"three",…"#)
        try bob.send(#"{"type":"restore","doc":"a","epoch":"\#(epoch)","rev":1,"seq":1}"#)
        try bob.expect(#"{"type":"error","doc":"a","seq":1,"code":"base_trimmed",…,"cause":"trimmed"}"#)
        try bob.send(#"{"type":"push","doc":"a","epoch":"\#(epoch)","base":1,"seq":1,"text":"x"}"#)
        try bob.expect(#"{"type":"error","doc":"a","seq":1,"code":"base_trimmed",…,"cause":"trimmed"}"#)
        // Revision 2 was not trimmed, so the client can still restore it.
        try bob.send(#"{"type":"restore","doc":"a","epoch":"\#(epoch)","rev":2,"seq":1}"#)
        try bob.expect(#"{"type":"ack","doc":"a","seq":1,"rev":4,"edits":[…"#)
    }

    /// Rule A14.
    @Test(
        "`verify` finds no damage in a sound store or document", arguments: Transport.lines(and: .secureLines)
    )
    func verify(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two")
        #expect(
            try server.ask(#"{"type":"verify","id":1}"#)
                == #"{"type":"verified","id":1,"documents":1,"revisions":2,"findings":[]}"#)
        #expect(
            try server.ask(#"{"type":"verify","id":2,"doc":"a"}"#)
                == #"{"type":"verified","id":2,"documents":1,"revisions":2,"findings":[]}"#)
        #expect(try server.ask(#"{"type":"verify","doc":"b"}"#).contains(#""code":"not_found""#))
    }

    /// Rule A15.
    @Test(
        "a backup is a complete store; only the server can read its folder",
        arguments: Transport.lines(and: .secureWebSocket))
    func backup(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "one", "two")
        let line = try server.ask(#"{"type":"backup","id":1}"#)
        let found = Pattern(#"{"type":"backed_up","id":1,"file":"⟨file⟩","bytes":⟨bytes⟩,"documents":1}"#)
            .matches(line)
        let file = try #require(found?["file"], "\(line)")
        let folder = server.live.dataPath + "/backups"
        let about = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
        #expect((about[.size] as? Int).map(String.init) == found?["bytes"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try server.live.waitForLog(#/ info event=backup_made path=.*\/backups\/caret-.*\.sqlite$/#)

        let scratch = try Scratch.inMemory()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/data", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(folder)/\(file)", toPath: scratch.path + "/data/caret.sqlite")
        let restored = try LiveServer(in: scratch, over: transport).connect()
        try restored.greet(as: "ann-client")
        try restored.send(#"{"type":"read","doc":"a","rev":1}"#)
        try restored.expect(#"{"type":"text","doc":"a",…,"text":"one",…"#)
    }

    /// Rule A1.
    @Test(
        "only an admin of all documents may administer the server",
        arguments: Transport.lines(and: .webSocket))
    func denied(transport: Transport) throws {
        let server = try LiveServer(["--require-tokens": "true"], over: transport)
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"add_token","user":"ann","grants":[{"rights":"admin","prefix":"a"}]}"#)
        let added = try #require(try admin.next())
        let token = try #require(
            Pattern(#"{"type":"token_added","number":1,"token":"⟨token⟩"}"#).matches(added)?["token"])
        let ann = try server.connect()
        try ann.send(#"{"type":"hello","protocol":1,"client":"ann-client","token":"\#(token)"}"#)
        try ann.expect(#"{"type":"welcome",…"#)
        for rest in [
            #""counters""#, #""who""#, #""list_nodes""#,
            #""trim","doc":"a","rev":1"#, #""redact","doc":"a","passage":"x""#, #""verify""#, #""backup""#,
        ] {
            try ann.send(#"{"type":\#(rest)}"#)
            let line = try #require(try ann.next())
            #expect(line.contains(#""code":"forbidden""#), "\(line)")
        }
    }
}
