import Testing

/// A server that requires tokens, and its admin.
private final class TokenServer {
    let server: LiveServer
    let admin: LineClient

    init(over transport: Transport, _ more: [String: String] = [:]) throws {
        let options = ["--require-tokens": "true", "--listen": "0.0.0.0:0", "--web-hosts": "localhost"]
        server = try LiveServer(options.merging(more) { $1 }, over: transport)
        admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
    }

    /// Adds a token, and returns its number and text.
    func token(of user: String, _ grants: String...) throws -> (number: String, text: String) {
        let grants = grants.joined(separator: ",")
        try admin.send(#"{"type":"add_token","user":"\#(user)","grants":[\#(grants)]}"#)
        let line = try #require(try admin.next())
        let parts = try #require(
            Pattern(#"{"type":"token_added","number":⟨number⟩,"token":"⟨token⟩"}"#).matches(line), "\(line)")
        return (parts["number", default: ""], parts["token", default: ""])
    }

    /// A new client that has sent a hello with this token, or with none.
    func connect(
        at listenerKind: LineClient.ListenerKind = .tcp, with token: String?, as user: String
    ) throws -> any MessageClient {
        let client = try server.connect(at: listenerKind)
        let shown = token.map { #","token":"\#($0)""# } ?? ""
        try client.send(#"{"type":"hello","protocol":1,"client":"\#(user)-client"\#(shown)}"#)
        return client
    }

    /// A client with a new token.
    func client(_ user: String, _ grants: String...) throws -> any MessageClient {
        let token = try token(of: user, grants.joined(separator: ","))
        let client = try connect(with: token.text, as: user)
        try client.expect(#"{"type":"welcome",…,"user":"\#(user)",…"#)
        return client
    }

    /// Creates documents as the admin, with one revision each.
    func write(_ names: String...) throws {
        for name in names {
            try admin.send(
                #"{"type":"push","doc":"\#(name)","base":0,"seq":1,"text":"secret","create":true}"#)
            try admin.expect(#"{"type":"ack","doc":"\#(name)","seq":1,…"rev":1,…"#)
        }
    }
}

@Suite("Tokens over a socket", .onOwnThread) struct TokenTests {
    // MARK: Authentication

    /// Rules H5 and A2.
    @Test("a missing or unknown token is refused", arguments: Transport.lines(and: .webSocket))
    func unauthorized(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        let known = try tokens.token(of: "ann", #"{"rights":"read","prefix":""}"#).text
        let last = known.last == "0" ? "1" : "0"
        let wrong = [
            nil, "", "caret_1", "nonsense", String(known.dropLast()), known.dropLast() + last,
            known.replacing("caret_1_", with: "caret_2_"), known + " ", known.uppercased(),
        ]
        for token in wrong {
            let client = try tokens.connect(with: token, as: "ann")
            try client.expect(#"{"type":"error","code":"unauthorized",…"#)
            try client.expectEnd()
        }
        let client = try tokens.connect(with: known, as: "ann")
        try client.expect(#"{"type":"welcome",…,"user":"ann",…"#)
    }

    /// Rule H6.
    @Test(
        "an address that guesses tokens must wait; other addresses need not",
        .enabled(if: Address.ownAddress != nil, "this machine has only a loopback address"),
        arguments: Transport.lines(and: .secureLines))
    func guessing(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        let address = try #require(Address.ownAddress)
        let known = try tokens.token(of: "ann", #"{"rights":"read","prefix":""}"#).text
        /// The error code of the answer to a `hello` from that address; nil if the answer is `welcome`.
        func code(_ token: String) throws -> String? {
            let guest = try tokens.connect(at: .address(address), with: token, as: "eve")
            let answer = try #require(try guest.next())
            guard let code = answer.firstMatch(of: /"code":"([a-z_]+)"/)?.1 else { return nil }
            if answer.contains(#""code":"rate_limited""#) { #expect(answer.contains(#""retry_after_ms":"#)) }
            try guest.expectEnd()
            return String(code)
        }
        let earlier = try tokens.token(of: "bob", #"{"rights":"read","prefix":""}"#).text
        #expect(try code(earlier) == nil)
        for _ in 0..<10 { #expect(try code("caret_9_nonsense") == "unauthorized") }
        // The server looks up one more token every 6 seconds. On a busy machine, 6 seconds may pass between
        // two guesses, and the second guess is then answered with `unauthorized`.
        var answers: [String?] = []
        while answers.suffix(2) != ["rate_limited", "rate_limited"], answers.count < 40 {
            answers.append(try code(answers.last == "rate_limited" ? known : "caret_9_nonsense"))
        }
        #expect(answers.suffix(2) == ["rate_limited", "rate_limited"])
        // A token that the server has accepted before need not wait.
        #expect(try code(earlier) == nil)
        try tokens.server.waitForLog(#/ warning event=guessing_slowed peer=.*$/#)
        let client = try tokens.connect(with: known, as: "ann")
        try client.expect(#"{"type":"welcome",…,"user":"ann",…"#)
    }

    // MARK: Links

    /// Rules R8 to R11.
    @Test("a link opens one document until it ends", arguments: Transport.lines(and: .webSocket))
    func links(transport: Transport) throws {
        let tokens = try TokenServer(over: transport, ["--share-links": "true"])
        try tokens.write("lib/a", "lib/b")
        let ann = try tokens.client("ann", #"{"rights":"write","prefix":"lib/"}"#)
        for change in [
            #"{"type":"end_link","doc":"lib/a","number":2}"#,
            #"{"type":"rename","doc":"lib/a","to":"lib/c"}"#,
            #"{"type":"delete","doc":"lib/b"}"#,
        ] {
            let name = change.contains("lib/b") ? "lib/b" : "lib/a"
            try ann.send(#"{"type":"add_link","doc":"\#(name)","rights":"read","seconds":60}"#)
            let added = try #require(try ann.next())
            let pattern = Pattern(#"{"type":"token_added","number":⟨number⟩,"token":"⟨token⟩"}"#)
            let parts = try #require(pattern.matches(added), "\(added)")
            let guest = try tokens.connect(with: parts["token"], as: "guest")
            try guest.expect(#"{"type":"welcome",…,"user":"link/…"#)
            try guest.send(#"{"type":"open","doc":"\#(name)"}"#)
            try guest.expect(#"{"type":"opened","doc":"\#(name)",…,"rights":"read",…"#)
            try ann.send(#"{"type":"list_links","doc":"\#(name)"}"#)
            try ann.expect(#"{"type":"tokens","tokens":[{"number":\#(parts["number", default: ""]),…}]}"#)
            try ann.send(change)
            try ann.expect(#"{"type":"done"}"#)
            var line = try guest.next()
            while line?.contains(#""type":"gone""#) == true || line?.contains(#""type":"rights""#) == true {
                line = try guest.next()
            }
            #expect(line == #"{"type":"bye","reason":"revoked"}"#)
            let again = try tokens.connect(with: parts["token"], as: "guest")
            try again.expect(#"{"type":"error",…"code":"unauthorized",…"#)
        }
    }

    // MARK: Rights

    /// Rule R1.
    @Test(
        "a grant applies to names with its prefix; the highest grant counts",
        arguments: Transport.lines(and: .secureWebSocket))
    func rights(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        try tokens.write("lib/a", "lib/b", "notes/a", "own/a")
        let ann = try tokens.client(
            "ann", #"{"rights":"read","prefix":"lib/"}"#, #"{"rights":"write","prefix":"notes/"}"#,
            #"{"rights":"admin","prefix":"own/"}"#, #"{"rights":"write","doc":"lib/b"}"#)
        for (name, rights) in [
            ("lib/a", "read"), ("lib/b", "write"), ("notes/a", "write"), ("own/a", "write"),
        ] {
            try ann.send(#"{"type":"open","doc":"\#(name)"}"#)
            try ann.expect(#"{"type":"opened","doc":"\#(name)",…,"rights":"\#(rights)",…"#)
        }
        let edit = #""base":1,"seq":1,"edits":[{"range":[0,0],"text":"x"}]"#
        try ann.send(#"{"type":"push","doc":"lib/a",\#(edit)}"#)
        try ann.expect(#"{"type":"error","doc":"lib/a","seq":1,"code":"forbidden",…"#)
        for (line, answer) in [
            (#""delete","doc":"lib/a""#, #""error","doc":"lib/a","code":"forbidden",…"#),
            (#""rename","doc":"lib/b","to":"lib/c""#, #""error","doc":"lib/b","code":"forbidden",…"#),
            (#""rename","doc":"notes/a","to":"secret/a""#, #""error","doc":"notes/a","code":"forbidden",…"#),
            (#""open","doc":"lib/new","create":true"#, #""error","doc":"lib/new","code":"forbidden",…"#),
            (#""verify""#, #""error","code":"forbidden",…"#),
            (#""list_tokens""#, #""error","code":"forbidden",…"#),
        ] {
            try ann.send(#"{"type":\#(line)}"#)
            try ann.expect(#"{"type":\#(answer)"#)
        }
        try ann.send(#"{"type":"rename","doc":"notes/a","to":"own/b"}"#)
        try ann.expect(#"{"type":"gone","doc":"notes/a",…"reason":"renamed","to":"own/b"}"#)
        try ann.expect(#"{"type":"done"}"#)
        try ann.send(#"{"type":"list"}"#)
        try ann.expect(
            #"{"type":"listed","docs":[{"doc":"lib/a",…},{"doc":"lib/b",…},{"doc":"own/a",…},{"doc":"own/b",…}]}"#
        )
    }

    /// Rule R3.
    @Test(
        "a document that a user may not read is answered like a missing one",
        arguments: Transport.lines(and: .webSocket))
    func denied(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        try tokens.write("secret/there")
        let ann = try tokens.client("ann", #"{"rights":"write","prefix":"notes/"}"#)
        let push = #""epoch":"e","base":0,"seq":1"#
        for request in [
            #""open""#, #""open","create":true"#, #""open","epoch":"e","rev":1"#, #""open","mode":"watch""#,
            #""read""#, #""read","rev":1"#, #""read","rev":9"#, #""read","at":0"#, #""history""#,
            #""history","after":9"#, #""push",\#(push),"edits":[]"#, #""push",\#(push),"text":"x""#,
            #""push",\#(push),"text":"x","create":true"#, #""restore","epoch":"e","rev":1,"seq":1"#,
            #""rename","to":"notes/a""#, #""delete""#, #""close""#, #""select","rev":1,"selections":[]"#,
            #""diverged","rev":1"#, #""trim","rev":1"#, #""verify""#,
        ] {
            let answers = try ["secret/there", "secret/where"].map { name in
                try ann.send(#"{"type":\#(request),"id":7,"doc":"\#(name)"}"#)
                // The answer to this `list` request comes last. So all lines before it answer the request
                // above.
                try ann.send(#"{"type":"list","id":8}"#)
                var lines: [String] = []
                while let line = try ann.next(), line != #"{"type":"listed","id":8,"docs":[]}"# {
                    lines.append(line)
                }
                return lines.map { $0.replacing(name, with: "…") }
            }
            #expect(answers[0] == answers[1], "\(request)")
        }
        try ann.send(#"{"type":"list"}"#)
        try ann.expect(#"{"type":"listed","docs":[]}"#)
        try ann.send(#"{"type":"follow"}"#)
        try ann.expect(#"{"type":"done"}"#)
        // Ann follows documents, but gets no message about the rename, because she may not read the document.
        try tokens.admin.send(#"{"type":"rename","doc":"secret/there","to":"secret/gone"}"#)
        try tokens.admin.expect(#"{"type":"done"}"#)
        try ann.send(#"{"type":"ping"}"#)
        try ann.expect(#"{"type":"pong"}"#)
    }

    // MARK: Revocation

    /// Rule E4.
    @Test(
        "revoking a token closes its connections and refuses new ones",
        arguments: Transport.lines(and: .secureLines))
    func revoked(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        try tokens.write("a")
        let (number, text) = try tokens.token(of: "ann", #"{"rights":"write","prefix":""}"#)
        let bob = try tokens.client("bob", #"{"rights":"write","prefix":""}"#)
        let connections = try ["one-more", "and-one-more"].map { name in
            let connection = try tokens.connect(with: text, as: name)
            try connection.expect(#"{"type":"welcome",…,"user":"ann",…"#)
            return connection
        }
        try connections[0].send(#"{"type":"open","doc":"a"}"#)
        try connections[0].expect(#"{"type":"opened","doc":"a",…"#)
        try tokens.admin.send(#"{"type":"list_tokens","id":1}"#)
        try tokens.admin.expect(
            #"{"type":"tokens","id":1,"tokens":[{"number":\#(number),"user":"ann",…},{"number":…,"user":"bob",…}]}"#
        )
        let began = ContinuousClock.now
        try tokens.admin.send(#"{"type":"revoke_token","id":2,"number":\#(number)}"#)
        try tokens.admin.expect(#"{"type":"done","id":2}"#)
        for connection in connections {
            try connection.expect(#"{"type":"bye","reason":"revoked"}"#)
            try connection.expectEnd()
        }
        print("a revoked token: bye in an open session after \(ContinuousClock.now - began)")
        let again = try tokens.connect(with: text, as: "ann")
        try again.expect(#"{"type":"error","code":"unauthorized",…"#)
        try again.expectEnd()
        try tokens.admin.send(#"{"type":"revoke_token","id":3,"number":\#(number)}"#)
        try tokens.admin.expect(#"{"type":"error","id":3,"code":"not_found",…"#)
        try bob.send(#"{"type":"ping"}"#)
        try bob.expect(#"{"type":"pong"}"#)
    }

    /// Rule A6.
    @Test(
        "a push that is committed while its token is revoked gets ack, then bye",
        arguments: Transport.lines(and: .secureWebSocket))
    func revokedInFlight(transport: Transport) throws {
        let tokens = try TokenServer(over: transport)
        for round in 0..<12 {
            let name = "notes/\(round)"
            try tokens.write(name)
            let (number, text) = try tokens.token(of: "ann", #"{"rights":"write","prefix":""}"#)
            let ann = try tokens.connect(with: text, as: "ann")
            try ann.expect(#"{"type":"welcome",…,"user":"ann",…"#)
            try ann.send(#"{"type":"open","doc":"\#(name)"}"#)
            let opened = try #require(try ann.next())
            let pattern = Pattern(#"{"type":"opened","doc":"…","epoch":"⟨epoch⟩",…"#)
            let epoch = try #require(pattern.matches(opened)?["epoch"])
            let content =
                round % 2 == 0 ? #""edits":[{"range":[0,0],"text":"mine "}]"# : #""text":"mine secret""#
            try ann.send(
                #"{"type":"push","doc":"\#(name)","epoch":"\#(epoch)","base":1,"seq":1,\#(content)}"#)
            try tokens.admin.send(#"{"type":"revoke_token","number":\#(number)}"#)
            try tokens.admin.expect(#"{"type":"done"}"#)
            let received = try ann.remainingMessages()
            #expect(received.last == #"{"type":"bye","reason":"revoked"}"#)
            try tokens.admin.send(#"{"type":"read","doc":"\#(name)"}"#)
            let read = try #require(try tokens.admin.next())
            let isAcked = received.contains { $0.hasPrefix(#"{"type":"ack","#) }
            #expect(read.contains("mine") == isAcked, "round \(round): \(received)")
        }
    }
}
