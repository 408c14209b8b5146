import Testing

@Suite("Requests on documents over a socket", .onOwnThread) struct RequestTests {
    /// Bob creates two documents. The first document gets two revisions.
    private static let library = """
        bob> {"type":"push","doc":"notes/a","base":0,"seq":1,"text":"one","create":true}
        bob< {"type":"ack","doc":"notes/a","seq":1,…"rev":1,…
        bob> {"type":"read","doc":"notes/a"}
        bob< {"type":"text","doc":"notes/a","epoch":"⟨a⟩",…
        bob> {"type":"push","doc":"notes/a","epoch":"⟨a⟩","base":1,"seq":2,"text":"one two"}
        bob< {"type":"ack","doc":"notes/a","seq":2,"rev":2,…
        bob> {"type":"push","doc":"notes/b","base":0,"seq":1,"text":"😀","create":true}
        bob< {"type":"ack","doc":"notes/b","seq":1,…"rev":1,…

        """

    @Test("documents are listed by name, in pages", arguments: Transport.lines(and: .webSocket))
    func list(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"list","id":1}
                ann< {"type":"listed","id":1,"docs":[{"doc":"notes/a","epoch":"⟨a⟩","rev":2,"length":7,"updated":…},{"doc":"notes/b","epoch":"…","rev":1,"length":2,"updated":…}]}
                ann> {"type":"list","id":2,"prefix":"notes/","limit":1}
                ann< {"type":"listed","id":2,"docs":[{"doc":"notes/a",…}],"more":true}
                ann> {"type":"list","id":3,"after":"notes/a","limit":1}
                ann< {"type":"listed","id":3,"docs":[{"doc":"notes/b",…}]}
                ann> {"type":"list","id":4,"prefix":"other/"}
                ann< {"type":"listed","id":4,"docs":[]}
                """, over: transport)
    }

    @Test(
        "`read` returns the current text, or the text at a revision or time",
        arguments: Transport.lines(and: .secureLines))
    func read(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"read","id":1,"doc":"notes/a"}
                ann< {"type":"text","id":1,"doc":"notes/a","epoch":"⟨a⟩","rev":2,"text":"one two","newline":"lf"}
                ann> {"type":"read","id":2,"doc":"notes/a","rev":1}
                ann< {"type":"text","id":2,"doc":"notes/a","epoch":"⟨a⟩","rev":1,"text":"one","newline":"lf"}
                ann> {"type":"read","id":3,"doc":"notes/a","at":0}
                ann< {"type":"text","id":3,"doc":"notes/a","epoch":"⟨a⟩","rev":0,"text":"","newline":"lf"}
                """, over: transport)
    }

    @Test(
        "`history` lists authors and sizes of changes, with edits on request",
        arguments: Transport.lines(and: .secureWebSocket))
    func history(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"history","id":1,"doc":"notes/a"}
                ann< {"type":"revisions","id":1,"doc":"notes/a","revisions":[{"rev":1,"user":"…","client":"⟨bob⟩","time":…,"inserted":3,"deleted":0},{"rev":2,"user":"…","client":"⟨bob⟩","time":…,"inserted":4,"deleted":0}]}
                ann> {"type":"history","id":2,"doc":"notes/a","limit":1,"edits":true}
                ann< {"type":"revisions","id":2,"doc":"notes/a","revisions":[{"rev":1,…,"edits":[{"range":[0,0],"text":"one"}]}],"more":true}
                ann> {"type":"history","id":3,"doc":"notes/a","after":1,"edits":true}
                ann< {"type":"revisions","id":3,"doc":"notes/a","revisions":[{"rev":2,…,"edits":[{"range":[3,3],"text":" two"}]}]}
                ann> {"type":"history","id":4,"doc":"notes/a","at":0,"limit":1}
                ann< {"type":"revisions","id":4,"doc":"notes/a","revisions":[{"rev":1,…}],"more":true}
                ann> {"type":"history","id":5,"doc":"notes/a","after":9}
                ann< {"type":"revisions","id":5,"doc":"notes/a","revisions":[]}
                """, over: transport)
    }

    /// Rule P9.
    @Test("an earlier text is restored as a new revision", arguments: Transport.lines(and: .webSocket))
    func restore(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"open","doc":"notes/a"}
                ann< {"type":"opened","doc":"notes/a",…
                bob> {"type":"restore","id":1,"doc":"notes/a","epoch":"⟨a⟩","rev":1,"seq":3}
                bob< {"type":"ack","id":1,"doc":"notes/a","seq":3,"rev":3,"edits":[{"range":[3,7],"text":""}]}
                ann< {"type":"change","doc":"notes/a","rev":3,"edits":[{"range":[3,7],"text":""}],…
                bob> {"type":"restore","id":2,"doc":"notes/a","epoch":"⟨a⟩","rev":1,"seq":3}
                bob< {"type":"ack","id":2,"doc":"notes/a","seq":3,"rev":3,"edits":[{"range":[3,7],"text":""}],"duplicate":true}
                """, over: transport)
    }

    /// After the last change of a round, no later event wakes the server.
    @Test(
        "a follower is notified of the last change, even if changes come fast",
        arguments: Transport.lines(and: .secureLines))
    func lastChange(transport: Transport) throws {
        let server = try LiveServer(["--limit-document-every": "2 ms"], over: transport)
        let (follower, writer) = (try server.connect(), try server.connect())
        try writer.greet(as: "writer-1")
        try writer.send(#"{"type":"open","id":1,"doc":"a","create":true}"#)
        let opened = try #require(try writer.next())
        let epoch = try #require(opened.parts(around: #""epoch":""#)).1.prefix { $0 != "\"" }
        try follower.greet(as: "follower-1")
        try follower.send(#"{"type":"follow","id":1}"#)
        try follower.expect(#"{"type":"document","doc":"a",…"rev":0,…"#)
        try follower.expect(#"{"type":"done","id":1}"#)
        var revision = 0
        for round in 0..<300 {
            for _ in 0...round % 5 {
                let edit = #"{"range":[0,0],"text":"x"}"#
                try writer.send(
                    #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":\#(revision),"seq":\#(revision + 1),"edits":[\#(edit)]}"#
                )
                revision += 1
                try writer.expect(#"{"type":"ack","doc":"a","seq":\#(revision),"rev":\#(revision)}"#)
            }
            while try !#require(try follower.next()).contains(#""rev":\#(revision),"#) {}
        }
    }

    @Test(
        "a follower is notified of new, changed, renamed and deleted documents",
        arguments: Transport.lines(and: .secureWebSocket))
    func follow(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"follow","id":1,"prefix":"notes/"}
                ann< {"type":"document","doc":"notes/a","epoch":"⟨a⟩","rev":2,"length":7,"updated":…}
                ann< {"type":"document","doc":"notes/b","epoch":"⟨b⟩","rev":1,"length":2,"updated":…}
                ann< {"type":"done","id":1}
                bob> {"type":"push","doc":"other","base":0,"seq":1,"text":"x","create":true}
                bob< {"type":"ack","doc":"other",…
                bob> {"type":"push","doc":"notes/b","epoch":"⟨b⟩","base":1,"seq":2,"text":"😀😀"}
                bob< {"type":"ack","doc":"notes/b","seq":2,"rev":2,…
                ann< {"type":"document","doc":"notes/b","epoch":"⟨b⟩","rev":2,"length":4,"updated":…}
                bob> {"type":"rename","id":1,"doc":"notes/a","to":"notes/c"}
                bob< {"type":"done","id":1}
                ann< {"type":"gone","doc":"notes/a","epoch":"⟨a⟩","reason":"renamed","to":"notes/c","followed":true}
                ann< {"type":"document","doc":"notes/c","epoch":"⟨a⟩","rev":2,"length":7,"updated":…}
                bob> {"type":"delete","id":2,"doc":"notes/c"}
                bob< {"type":"done","id":2}
                ann< {"type":"gone","doc":"notes/c","epoch":"⟨a⟩","reason":"deleted","followed":true}
                ann> {"type":"unfollow","id":2}
                ann< {"type":"done","id":2}
                bob> {"type":"delete","id":3,"doc":"notes/b"}
                bob< {"type":"done","id":3}
                """, options: ["--limit-document-every": "0 ms"], over: transport)
    }

    /// Rule D9.
    @Test(
        "a renamed document keeps its history; a deleted name starts empty",
        arguments: Transport.lines(and: .webSocket))
    func renameAndDelete(transport: Transport) throws {
        try converse(
            Self.library + """
                ann> {"type":"open","doc":"notes/a"}
                ann< {"type":"opened","doc":"notes/a",…
                ann> {"type":"rename","id":1,"doc":"notes/a","to":"notes/b"}
                ann< {"type":"error","id":1,"doc":"notes/a","code":"exists",…
                ann> {"type":"rename","id":2,"doc":"notes/a","to":"notes/c"}
                ann< {"type":"gone","doc":"notes/a","epoch":"⟨a⟩","reason":"renamed","to":"notes/c"}
                ann< {"type":"done","id":2}
                ann> {"type":"open","doc":"notes/c","epoch":"⟨a⟩","rev":1}
                ann< {"type":"opened","doc":"notes/c","epoch":"⟨a⟩","rev":1,"resumed":true,…
                ann< {"type":"change","doc":"notes/c","rev":2,…
                ann< {"type":"check","doc":"notes/c","rev":2,…
                bob> {"type":"delete","id":3,"doc":"notes/c"}
                bob< {"type":"done","id":3}
                ann< {"type":"gone","doc":"notes/c","epoch":"⟨a⟩","reason":"deleted"}
                bob> {"type":"open","doc":"notes/c","epoch":"⟨a⟩","rev":1,"create":true}
                bob< {"type":"opened","doc":"notes/c","epoch":"⟨new⟩","rev":0,"resumed":false,"text":"",…
                """, over: transport)
    }
}
