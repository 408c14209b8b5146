import Testing

@Suite("A session that reads nothing for a long time", .onOwnThread) struct BehindTests {
    /// All revisions together have far more bytes than the kernel buffers for a client that does not read. A
    /// smaller receive buffer would need fewer revisions. But reading them would take the client minutes,
    /// because it would receive only a few kilobytes every 0.2 s.
    private static let revisions = 24
    private static let length = 256 << 10

    /// Lets the admin change a document many times while another client has it open and reads nothing.
    private func fallBehind(
        _ options: [String: String], over transport: Transport
    ) throws -> (admin: LineClient, stalled: any MessageClient) {
        let smallLimits = [
            "--limit-window": "16 KiB", "--limit-credit": "1 KiB", "--limit-taking-time": "1 h",
            "--limit-line-time": "1 h",
        ]
        let server = try LiveServer(smallLimits.merging(options) { $1 }, over: transport)
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        let stalled = try server.connect()
        try stalled.greet(as: "stalled-client")
        try stalled.send(#"{"type":"open","doc":"a","create":true}"#)
        try stalled.expect(#"{"type":"opened","doc":"a",…"#)
        try admin.send(#"{"type":"open","doc":"a"}"#)
        let opened = try #require(try admin.next())
        let epoch = try #require(
            Pattern(#"{"type":"opened","doc":"a","epoch":"⟨e⟩",…"#).matches(opened)?["e"])
        for revision in 0..<Self.revisions {
            let length = revision == 0 ? 0 : Self.length
            let text = String(repeating: revision % 2 == 0 ? "a" : "b", count: Self.length)
            let edit = #"{"range":[0,\#(length)],"text":"\#(text)"}"#
            try admin.send(
                #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":\#(revision),"seq":\#(revision + 1),"edits":[\#(edit)]}"#
            )
            try admin.expect(#"{"type":"ack","doc":"a","seq":\#(revision + 1),"rev":\#(revision + 1)}"#)
        }
        return (admin, stalled)
    }

    /// Skips the changes that the server sent before the client was too far behind, and expects that the next
    /// message matches `resync`.
    private func expect(_ resync: String, at stalled: any MessageClient) throws {
        var line = try stalled.next() ?? "the end"
        while line.hasPrefix(#"{"type":"change","doc":"a","#) { line = try stalled.next() ?? "the end" }
        #expect(Pattern(resync).matches(line) != nil, "\(line.shortened)")
        try stalled.send(#"{"type":"ping"}"#)
        try stalled.expect(#"{"type":"pong"}"#)
    }

    /// Rule O8.
    @Test(
        "a client that reads nothing delays nobody, and gets every change later",
        arguments: Transport.lines(and: .webSocket))
    func catchingUp(transport: Transport) throws {
        // All pushes of the admin are acked here, although the other client has read nothing.
        let (_, stalled) = try fallBehind([:], over: transport)
        for revision in 1...Self.revisions {
            try stalled.expect(#"{"type":"change","doc":"a","rev":\#(revision),…"#)
        }
        try stalled.send(#"{"type":"ping","id":1}"#)
        try stalled.expect(#"{"type":"pong","id":1}"#)
    }

    /// Rule C5.
    @Test(
        "a session gets the whole text if it is further behind than the limit",
        arguments: Transport.lines(and: .secureLines))
    func tooSlow(transport: Transport) throws {
        let (_, stalled) = try fallBehind(["--limit-behind": "2"], over: transport)
        try expect(
            #"{"type":"resync","doc":"a","epoch":"…","rev":24,"text":"b…b","reason":"too_slow"}"#, at: stalled
        )
    }

    /// Rules C5 and A10.
    @Test(
        "a session gets the whole text if the changes it misses are trimmed",
        arguments: Transport.lines(and: .secureWebSocket))
    func trimmed(transport: Transport) throws {
        let (admin, stalled) = try fallBehind([:], over: transport)
        try admin.send(#"{"type":"trim","doc":"a","rev":\#(Self.revisions)}"#)
        try admin.expect(#"{"type":"trimmed","doc":"a","start":\#(Self.revisions),…"#)
        try expect(
            #"{"type":"resync","doc":"a","epoch":"…","rev":24,"text":"b…b","reason":"trimmed"}"#, at: stalled)
    }
}
