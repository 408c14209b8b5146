import Foundation
import TestSupport
import Testing

@Suite("Redaction by a running server") struct RedactionTests {
    /// Rules A18 and A19.
    @Test(
        "`redact` removes a passage from all revisions and files, while others push",
        arguments: Transport.lines(and: .webSocket))
    func redact(transport: Transport) throws {
        let server = try AdministeredServer(over: transport)
        try server.write("a", "s", "sword", "swordfish one", "swordfish two swordfish")
        try server.write("b", "x")
        // Otherwise Bob's changes of it would come between the others.
        try server.ann.send(#"{"type":"close","doc":"b"}"#)
        try server.ann.expect(#"{"type":"closed","doc":"b"…"#)
        let epoch = try server.epoch(of: "a")
        let bob = try server.live.connect()
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"b"}"#)
        try bob.expect(#"{"type":"opened","doc":"b",…"#)
        let dry = try server.ask(#"{"type":"redact","id":1,"doc":"a","passage":"swordfish","dry_run":true}"#)
        #expect(
            Pattern(
                #"{"type":"redacted","id":1,"doc":"a","epoch":"\#(epoch)","rev":4,"containing":2,"in_head":2,"changed":4,"authors":[{"user":"anonymous","revisions":4,"first":1,"last":4,…}],"backups":[],"dry_run":true}"#
            ).matches(dry) != nil, "\(dry)")
        try server.admin.send(#"{"type":"redact","id":2,"doc":"a","passage":"swordfish"}"#)
        let other = try server.readEpoch(of: "b", bob)
        for seq in 1...20 {
            try bob.send(
                #"{"type":"push","doc":"b","epoch":"\#(other)","base":\#(seq),"seq":\#(seq),"edits":[{"range":[0,0],"text":"y"}]}"#
            )
            try bob.expect(#"{"type":"ack","doc":"b","seq":\#(seq),"rev":\#(seq + 1)}"#)
        }
        let done = try #require(try server.admin.next())
        #expect(
            done.contains(#""containing":2,"in_head":2,"changed":4,"#) && done.hasSuffix(#""erased":true}"#))
        try server.ann.expect(
            #"{"type":"resync","doc":"a","epoch":"…","rev":4,"text":"********* two *********",…"reason":"epoch"…"#
        )
        #expect(try server.epoch(of: "a") != epoch)
        for (revision, text) in [(1, "*"), (2, "*****"), (3, "********* one")] {
            let line = try server.ask(#"{"type":"read","doc":"a","rev":\#(revision)}"#)
            #expect(line.contains(#""text":"\#(text)""#), "\(line)")
        }
        #expect(try FolderSearch.findings(of: "swordfish", in: server.live.dataPath) == [])
        // A repeat of an acked push is still known, and a new push with the old base is refused.
        try server.ann.send(
            #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":3,"seq":4,"text":"swordfish two swordfish"}"#
        )
        try server.ann.expect(#"{"type":"ack","doc":"a","seq":4,"rev":4,…"duplicate":true…"#)
        try server.ann.send(#"{"type":"push","doc":"a","epoch":"\#(epoch)","base":4,"seq":5,"text":"new"}"#)
        try server.ann.expect(#"{"type":"error","doc":"a","seq":5,"code":"epoch_changed",…"#)
        try server.live.waitForLog(#/ info event=history_redacted document=\d+$/#)
        try server.live.waitForLog("files_erased")
    }

    /// Rule A18.
    @Test("a redaction that cannot be done says why and changes nothing")
    func refused() throws {
        let server = try AdministeredServer(over: .lines)
        try server.write("a", "one")
        let longest = String(repeating: "x", count: 16_385)
        for (fields, code) in [
            (#""doc":"b","passage":"x""#, "not_found"), (#""doc":"/","passage":"x""#, "bad_name"),
            (#""doc":"a","passage":"\n""#, "bad_message"), (#""doc":"a","passage":"""#, "bad_message"),
            (#""doc":"a","passage":"\#(longest)""#, "bad_message"),
        ] {
            let line = try server.ask(#"{"type":"redact",\#(fields)}"#)
            #expect(line.contains(#""code":"\#(code)""#), "\(line)")
        }
        let epoch = try server.epoch(of: "a")
        let none = try server.ask(#"{"type":"redact","doc":"a","passage":"two"}"#)
        #expect(none.contains(#""containing":0,"in_head":0,"changed":0,"authors":[]"#), "\(none)")
        #expect(try server.epoch(of: "a") == epoch)
    }
}

extension AdministeredServer {
    /// The epoch of a document, as this client reads it.
    fileprivate func readEpoch(of name: String, _ client: any MessageClient) throws -> String {
        try client.send(#"{"type":"read","doc":"\#(name)"}"#)
        let text = try #require(try client.next())
        return try #require(
            Pattern(#"{"type":"text","doc":"\#(name)","epoch":"⟨epoch⟩",…"#).matches(text)?["epoch"])
    }
}
