import Testing

@Suite("Messages over a socket", .onOwnThread) struct MessageTests {
    /// Rule H5.
    @Test("the welcome names the user and the limits", arguments: Transport.lines(and: .webSocket))
    func hello(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"hello","id":"h","protocol":1,"client":"ann-client","units":["utf-9","utf-8"],"token":"any","info":{"name":"Ann"}}
            ann< {"type":"welcome","id":"h","protocol":1,"unit":"utf-8","server":"caret/…","user":"anonymous","client":"p-…","features":["follow","squash","exact","blame","notes"],"limits":{"line":26214400,"document":4194304,"edits":10000,"documents":256,"selections":1000},"ping":3600,"page":"http://127.0.0.1:…/","store":"…"}
            """, over: transport)
    }

    /// Rules T6 and T7.
    @Test(
        "an epoch begins with its store's id, and two servers share no ids",
        arguments: Transport.lines(and: .secureLines))
    func identities(transport: Transport) throws {
        let found = try (0..<2).map { _ in
            let server = try LiveServer(over: transport)
            let (ann, bob) = (try server.connect(), try server.connect())
            try ann.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
            let store = try told(#"{"type":"welcome",…,"store":"⟨store⟩"}"#, "store", by: ann)
            try ann.send(#"{"type":"open","doc":"a","create":true}"#)
            let epoch = try told(#"{"type":"opened","doc":"a","epoch":"⟨epoch⟩",…"#, "epoch", by: ann)
            try bob.greet(as: "bob-client")
            try bob.send(#"{"type":"open","doc":"a"}"#)
            try bob.expect(#"{"type":"opened",…"#)
            try bob.send(#"{"type":"select","doc":"a","rev":0,"selections":[]}"#)
            let session = try told(#"{"type":"peer","doc":"a","session":"⟨id⟩",…"#, "id", by: ann)
            #expect(epoch.hasPrefix(store + ".") && epoch != store + ".")
            return (store: store, session: session)
        }
        #expect(found[0].store != found[1].store && found[0].session != found[1].session)
    }

    /// Expects that the next line of a client matches the pattern. Returns the value of this name in the
    /// pattern.
    private func told(_ pattern: String, _ name: String, by client: any MessageClient) throws -> String {
        let line = try #require(try client.next())
        return try #require(Pattern(pattern).matches(line)?[name], "\(line)")
    }

    /// Rule E3.
    @Test(
        "a new connection of a client replaces the old one, which gets bye",
        arguments: Transport.lines(and: .secureWebSocket))
    func replaced(transport: Transport) throws {
        try converse(
            """
            old> {"type":"hello","protocol":1,"client":"ann-client"}
            old< {"type":"welcome",…
            new> {"type":"hello","protocol":1,"client":"ann-client"}
            old< {"type":"bye","reason":"replaced"}
            new< {"type":"welcome",…
            old<|
            """, over: transport)
    }

    /// Rules B11 and P19.
    @Test(
        "a document is opened, edited, sent to others, and closed",
        arguments: Transport.lines(and: .webSocket))
    func edits(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"open","id":1,"doc":"notes/today","create":true}
            ann< {"type":"opened","id":1,"doc":"notes/today","epoch":"⟨epoch⟩","rev":0,"text":"","rights":"write","newline":"lf","peers":[]}
            bob> {"type":"open","doc":"notes/today","mode":"watch"}
            bob< {"type":"opened","doc":"notes/today","epoch":"⟨epoch⟩","rev":0,"text":"",…
            ann> {"type":"push","id":2,"doc":"notes/today","epoch":"⟨epoch⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"one three"}]}
            ann< {"type":"ack","id":2,"doc":"notes/today","seq":1,…"rev":1}
            bob< {"type":"change","doc":"notes/today","rev":1,"edits":[{"range":[0,0],"text":"one three"}],"user":"…","client":"p-…","time":…}
            ann> {"type":"push","id":"p","doc":"notes/today","epoch":"⟨epoch⟩","base":1,"seq":2,"edits":[{"range":[4,4],"text":"two"},{"range":[4,4],"text":" "}]}
            ann< {"type":"ack","id":"p","doc":"notes/today","seq":2,"rev":2,"edits":[{"range":[4,4],"text":"two "}]}
            bob< {"type":"change","doc":"notes/today","rev":2,"edits":[{"range":[4,4],"text":"two "}],…
            ann> {"type":"close","id":3,"doc":"notes/today"}
            ann< {"type":"closed","id":3,"doc":"notes/today"}
            ann> {"type":"open","doc":"notes/today","epoch":"⟨epoch⟩","rev":1}
            ann< {"type":"opened","doc":"notes/today","epoch":"⟨epoch⟩","rev":1,"resumed":true,"rights":"write","newline":"lf","peers":[],"own":{"seq":2,"rev":2}}
            ann< {"type":"ack","doc":"notes/today","seq":2,"rev":2,"edits":[{"range":[4,4],"text":"two "}]}
            ann< {"type":"check","doc":"notes/today","rev":2,"length":13,"crc32":"7825d3d7"}
            bob> {"type":"push","doc":"notes/today","epoch":"⟨epoch⟩","base":2,"seq":1,"edits":[{"range":[0,0],"text":"x"}]}
            bob< {"type":"error","doc":"notes/today","seq":1,"code":"forbidden",…
            """, over: transport)
    }

    /// Rules P2, P6 and P9.
    @Test(
        "a pushed whole text becomes a diff, and a repeated push is recognised",
        arguments: Transport.lines(and: .secureLines))
    func wholeText(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"push","id":1,"doc":"a","base":0,"seq":1,"text":"one\\r\\ntwo\\r\\n","create":true}
            ann< {"type":"ack","id":1,"doc":"a","seq":1,…"rev":1,"edits":[{"range":[0,0],"text":"one\\ntwo\\n"}]}
            ann> {"type":"push","id":2,"doc":"a","base":0,"seq":1,"text":"one\\r\\ntwo\\r\\n"}
            ann< {"type":"ack","id":2,"doc":"a","seq":1,…"rev":1,"edits":[{"range":[0,0],"text":"one\\ntwo\\n"}],"duplicate":true}
            ann> {"type":"read","doc":"a"}
            ann< {"type":"text","doc":"a","epoch":"⟨epoch⟩","rev":1,"text":"one\\ntwo\\n","newline":"crlf"}
            bob> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":0,"seq":1,"text":"one\\ntwo\\n"}
            bob< {"type":"ack","doc":"a","seq":1,"epoch":"⟨epoch⟩","rev":1,"unchanged":true}
            bob> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":1,"seq":2,"text":"one\\ntwo\\nthree\\n","want":"text"}
            bob< {"type":"ack","doc":"a","seq":2,"rev":2,"edits":[{"range":[8,8],"text":"three\\n"}],"text":"one\\ntwo\\nthree\\n"}
            ann> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":1,"seq":2,"text":"zero\\none\\ntwo\\n","want":"text"}
            ann< {"type":"ack","doc":"a","seq":2,"rev":3,"edits":[{"range":[0,0],"text":"zero\\n"}],"text":"zero\\none\\ntwo\\nthree\\n"}
            """, over: transport)
    }

    /// Rules S1 and S5.
    @Test(
        "peers see each other's selections until one leaves",
        arguments: Transport.lines(and: .secureWebSocket))
    func presence(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"push","doc":"a","base":0,"seq":1,"text":"one two","create":true}
            ann< {"type":"ack","doc":"a",…
            ann> {"type":"open","doc":"a"}
            ann< {"type":"opened","doc":"a","epoch":"⟨epoch⟩","rev":1,"text":"one two",…,"peers":[],"own":{"seq":1,"rev":1}}
            bob> {"type":"hello","protocol":1,"client":"bob-client","info":{"name":"Bob"}}
            bob< {"type":"welcome",…
            bob> {"type":"open","doc":"a"}
            bob< {"type":"opened",…
            bob> {"type":"select","doc":"a","rev":1,"selections":[[4,7]]}
            ann< {"type":"peer","doc":"a","session":"⟨bob⟩","user":"…","client":"p-…","info":{"name":"Bob"},"rev":1,"selections":[[4,7]]}
            ann> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":1,"seq":2,"edits":[{"range":[0,3],"text":"three"}]}
            ann< {"type":"ack","doc":"a","seq":2,"rev":2}
            bob< {"type":"change","doc":"a","rev":2,…
            bob> {"type":"select","doc":"a","rev":2,"selections":[[6,9],[2,0]]}
            ann< {"type":"peer","doc":"a","session":"⟨bob⟩","rev":2,"selections":[[6,9],[2,0]]}
            eve> {"type":"open","doc":"a"}
            eve< {"type":"opened","doc":"a",…,"peers":[{"session":"⟨bob⟩","user":"…","client":"p-…","info":{"name":"Bob"},"selections":[[6,9],[2,0]]}]}
            bob> {"type":"close","doc":"a"}
            bob< {"type":"closed","doc":"a"}
            ann< {"type":"peer","doc":"a","session":"⟨bob⟩","left":true}
            eve< {"type":"peer","doc":"a","session":"⟨bob⟩","left":true}
            """, over: transport)
    }

    /// Rule C4.
    @Test(
        "missed revisions arrive one by one, or as one change with `squash`",
        arguments: Transport.lines(and: .webSocket))
    func squash(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"push","doc":"a","base":0,"seq":1,"text":"a","create":true,"want":"text"}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1,…
            ann> {"type":"open","doc":"a"}
            ann< {"type":"opened","doc":"a","epoch":"⟨epoch⟩",…
            ann> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":1,"seq":2,"edits":[{"range":[1,1],"text":"b"}]}
            ann< {"type":"ack","doc":"a","seq":2,"rev":2}
            ann> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":2,"seq":3,"edits":[{"range":[2,2],"text":"c"}]}
            ann< {"type":"ack","doc":"a","seq":3,"rev":3}
            bob> {"type":"open","doc":"a","epoch":"⟨epoch⟩","rev":1,"mode":"watch","squash":true}
            bob< {"type":"opened","doc":"a","epoch":"⟨epoch⟩","rev":1,"resumed":true,…
            bob< {"type":"change","doc":"a","rev":3,"from":1,"edits":[{"range":[1,1],"text":"bc"}]}
            bob< {"type":"check","doc":"a","rev":3,"length":3,"crc32":"352441c2"}
            eve> {"type":"open","doc":"a","epoch":"⟨epoch⟩","rev":1}
            eve< {"type":"opened","doc":"a","epoch":"⟨epoch⟩","rev":1,"resumed":true,…
            eve< {"type":"change","doc":"a","rev":2,"edits":[{"range":[1,1],"text":"b"}],…
            eve< {"type":"change","doc":"a","rev":3,"edits":[{"range":[2,2],"text":"c"}],…
            eve< {"type":"check","doc":"a","rev":3,"length":3,"crc32":"352441c2"}
            """, over: transport)
    }

    @Test(
        "an unchanged document sends a check, and a diverged client reopens it",
        arguments: Transport.lines(and: .secureLines))
    func check(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"open","doc":"a","create":true}
            ann< {"type":"opened","doc":"a","epoch":"⟨epoch⟩",…
            ann> {"type":"push","doc":"a","epoch":"⟨epoch⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"123456789"}]}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1}
            ann< {"type":"check","doc":"a","rev":1,"length":9,"crc32":"cbf43926"}
            ann> {"type":"diverged","doc":"a","rev":1}
            ann> {"type":"open","doc":"a"}
            ann< {"type":"opened","doc":"a","epoch":"⟨epoch⟩","rev":1,"text":"123456789",…
            """, options: ["--limit-rest-time": "100 ms"], over: transport)
    }

    /// Rules H9 and E1.
    @Test(
        "a silent client gets a ping, and bye if it stays silent",
        arguments: Transport.lines(and: .secureWebSocket))
    func pings(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"ping","id":7}
            ann< {"type":"pong","id":7}
            ann< {"type":"ping"}
            ann> {"type":"pong"}
            ann< {"type":"ping"}
            ann< {"type":"bye","reason":"idle"}
            ann<|
            """, options: ["--ping": "2 s"], over: transport)
    }
}
