import Foundation
import TestSupport
import Testing

@Suite("A server with damaged files", .onOwnThread) struct DamageTests {
    /// A text that does not compress, so the files contain it literally.
    private static let text: String = {
        var random = Seeded(1)
        return String(decoding: (0..<100_000).map { _ in UInt8(random.number(0x23...0x5B)) }, as: UTF8.self)
    }()

    /// A server with a short document and a long one. Its files contain the long text.
    private func filledServer(over transport: Transport) throws -> (LiveServer, any MessageClient) {
        let server = try LiveServer(["--limit-window": "16 KiB"], over: transport)
        let ann = try server.connect()
        try ann.greet(as: "ann-client")
        for (name, text) in [("sound", "sound"), ("harmed", Self.text)] {
            try ann.send(
                #"{"type":"push","doc":"\#(name)","base":0,"seq":1,"text":"\#(text)","create":true}"#)
            try ann.expect(#"{"type":"ack","doc":"\#(name)","seq":1,…"rev":1,…"#)
        }
        return (server, ann)
    }

    /// Changes one letter of the long text in a file.
    private func harm(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: path))
        let piece = Data(Self.text.utf8.dropFirst(50_000).prefix(40))
        let place = try #require(bytes.range(of: piece)?.lowerBound)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: [bytes[place] ^ 1])
        try file.close()
    }

    /// Rules D13, A14 and A15.
    @Test(
        "every request for a damaged document fails; other documents work",
        arguments: Transport.lines(and: .webSocket))
    func damagedAtStart(transport: Transport) throws {
        let (first, _) = try filledServer(over: transport)
        first.program.kill(SIGTERM)
        _ = try first.program.waitForExit()
        try harm(first.dataPath + "/caret.sqlite")
        let server = try first.startAgain()
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        for request in [
            #""open""#, #""open","create":true"#, #""read""#,
            #""push","base":0,"seq":1,"text":"new","create":true"#,
        ] {
            try admin.send(#"{"type":\#(request),"doc":"harmed"}"#)
            let line = try admin.next() ?? "the end"
            #expect(
                Pattern(#"{"type":"error","doc":"harmed",…"code":"damaged",…"#).matches(line) != nil,
                "\(line)")
        }
        try server.waitForLog(#/ error event=document_damaged document=2$/#)
        try admin.send(#"{"type":"read","doc":"sound"}"#)
        try admin.expect(#"{"type":"text","doc":"sound",…,"text":"sound",…"#)
        try admin.send(#"{"type":"verify"}"#)
        let verified = try #require(try admin.next())
        #expect(
            Pattern(#"{"type":"verified","documents":…,"findings":[{…}]}"#).matches(verified) != nil
                && verified.contains(#"{"number":2,"doc":"harmed","message":"#), "\(verified)")
        try server.waitForLog(#/ error event=damage_found count=[1-9]\d*$/#)
        try admin.send(#"{"type":"backup"}"#)
        try admin.expect(#"{"type":"error","code":"damaged",…"#)
        try server.waitForLog(#/ error event=damage_found (count=[1-9]\d*|sqlite=\d+)$/#)
    }

    /// Rule D13.
    @Test(
        "damage found in an open document closes only this document",
        arguments: Transport.lines(and: .secureLines))
    func damagedWhileOpen(transport: Transport) throws {
        let (server, ann) = try filledServer(over: transport)
        try ann.send(#"{"type":"open","doc":"harmed"}"#)
        let opened = try #require(try ann.next())
        let epoch = try #require(
            Pattern(#"{"type":"opened","doc":"harmed","epoch":"⟨e⟩",…"#).matches(opened)?["e"])
        // After this push the room no longer has the first revision in memory.
        try ann.send(
            #"{"type":"push","doc":"harmed","epoch":"\#(epoch)","base":1,"seq":2,"edits":[{"range":[0,0],"text":"x"}]}"#
        )
        try ann.expect(#"{"type":"ack","doc":"harmed","seq":2,"rev":2}"#)
        try harm(server.dataPath + "/caret.sqlite-wal")
        let bob = try server.connect()
        try bob.greet(as: "bob-client")
        try bob.send(#"{"type":"open","doc":"harmed","epoch":"\#(epoch)","rev":0}"#)
        try bob.expect(#"{"type":"opened","doc":"harmed",…,"resumed":true,…"#)
        for client in [ann, bob] { try client.expect(#"{"type":"gone","doc":"harmed",…"reason":"damaged"}"#) }
        try server.waitForLog(#/ error event=document_damaged document=2$/#)
        try bob.send(#"{"type":"open","doc":"harmed"}"#)
        try bob.expect(#"{"type":"error","doc":"harmed","code":"damaged",…"#)
        try bob.send(#"{"type":"open","doc":"sound"}"#)
        try bob.expect(#"{"type":"opened","doc":"sound",…"#)
    }

    @Test(
        "a backup that cannot be written fails; clients can still push",
        arguments: Transport.lines(and: .secureWebSocket))
    func unwritableBackup(transport: Transport) throws {
        let (server, ann) = try filledServer(over: transport)
        try Data().write(to: URL(filePath: server.dataPath + "/backups"))
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"backup","id":1}"#)
        try admin.expect(#"{"type":"error","id":1,"code":"storage_failed",…"#)
        try server.waitForLog(#/ error event=backup_failed (sqlite|errno)=\d+$/#)
        try ann.send(#"{"type":"push","doc":"new","base":0,"seq":1,"text":"x","create":true}"#)
        try ann.expect(#"{"type":"ack","doc":"new","seq":1,…"rev":1,…"#)
    }
}
