import CaretCore
import CaretLog
import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("Sign-in by a proxy: which requests its field signs in") struct ProxySignInTests {
    private static let ann = "X-Forwarded-User: ann"
    private static let own = "Origin: https://caret.example.org"
    private static let app = "Origin: https://app.example.org"
    private static let evil = "Origin: https://evil.example"
    private static let ticket = "Authorization: Bearer t"
    private static let fetched = "Sec-Fetch-Site: same-origin"
    private static let cross = "Sec-Fetch-Site: cross-site"

    /// Each row has a client, a request with its fields, and what follows: the user that the proxy has named, a check
    /// of a token or of no token, or the status of the refusal. A WebSocket says `hello` without a token.
    fileprivate static let table: [(SiteGuard.Listener, String, [String], String)] = [
        // The field signs in its user.
        (.proxy, "GET /docs/a", [ann], "ann"),
        (.proxy, "GET /docs/a", ["x-forwarded-USER:  ann "], "ann"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: ä b@example.org"], "ä b@example.org"),
        // Without one good name, nobody is signed in, and nobody becomes a guest.
        (.proxy, "GET /docs/a", [], "401 noUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User:"], "401 noUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User:  "], "401 noUser"),
        (.proxy, "GET /docs/a", ["X_Forwarded_User: ann"], "401 noUser"),
        (.proxy, "GET /docs/a", [ann, ann], "401 severalUsers"),
        (.proxy, "GET /docs/a", [ann, "X-Forwarded-User:"], "401 severalUsers"),
        (.proxy, "GET /docs/a", [ann, "x-forwarded-user: bob"], "401 severalUsers"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: anonymous"], "401 badUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: .."], "401 badUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: ann/x"], "401 badUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: a\u{80}b"], "401 badUser"),
        (.proxy, "GET /docs/a", ["X-Forwarded-User: \(String(repeating: "a", count: 513))"], "401 badUser"),
        (.proxy, "GET /ws", [own], "ws noUser"),
        (.proxy, "GET /ws", [own, ann, "Authorization: Basic YTpi"], "ws noUser"),
        (.proxy, "GET /ws", [own, ann, ann], "ws severalUsers"),
        (.proxy, "GET /events", [], "401 noUser"),
        (.proxy, "GET /metrics", [], "401 noUser"),
        // The program of an assistant is signed in by its own token alone.
        (.proxy, "POST /mcp", [ann], "no token"),
        (.proxy, "POST /mcp", [ticket, ann], "token t"),
        (.proxy, "POST /mcp", [], "no token"),
        // Nobody needs to be signed in for what everybody may see.
        (.proxy, "GET /healthz", [], "200"),
        // Other clients are not believed.
        (.tcp, "GET /docs/a", [ann], "no token, dropped"),
        (.tcp, "GET /docs/a", [ticket, ann], "token t, dropped"),
        (.tcp, "GET /ws", [own, ann], "no token, dropped"),
        (.tcp, "GET /docs/a", [], "no token"),
        (.adminSocket, "GET /docs/a", [ann], "no token"),
        (.adminSocket, "GET /docs/a", [ann, ann, evil], "no token"),
        (.adminSocket, "GET /ws", [ann], "no token"),
        // A token is enough, and the field then does not count.
        (.proxy, "GET /docs/a", [ticket, ann], "token t"),
        (.proxy, "GET /docs/a", [ticket], "token t"),
        (.proxy, "GET /docs/a", [ticket, ann, ann], "token t"),
        (.proxy, "GET /events/a", [ticket, app, ann], "token t"),
        (.proxy, "GET /docs/a", ["Authorization: Basic YTpi", ann], "401"),
        (.proxy, "GET /docs/a", ["Authorization:", ann], "401"),
        (.proxy, "GET /docs/a", [ticket, ticket, ann], "400"),
        // The server's own page, and programs that are no browsers.
        (.proxy, "GET /docs/a", [ann, fetched], "ann"),
        (.proxy, "PUT /docs/a", [ann, own, "If-Match: *"], "ann"),
        (.proxy, "GET /events/a", [ann, fetched, "Accept: text/event-stream"], "ann"),
        (.proxy, "GET /ws", [ann, own], "ann"),
        (.proxy, "GET /ws", [ann], "ws otherPage"),
        (.proxy, "GET /ws", [ann, fetched], "ann"),
        // A person who types an address, or follows a link, sees the page, which needs nobody to be signed in.
        (.proxy, "GET /docs/a", [ann, "Sec-Fetch-Site: none"], "401 otherPage"),
        (.proxy, "GET /docs/a", [ann, fetched, fetched], "401 otherPage"),
        (.proxy, "GET /docs/a", [ann, "Sec-Fetch-Site:"], "401 otherPage"),
        // `Origin` decides, and not what stands beside it.
        (.proxy, "GET /docs/a", [ann, app, fetched], "401 otherPage"),
        // A hostile page in the browser of a user that the proxy knows: `fetch`, an image, a form, a WebSocket and an
        // `EventSource`.
        (.proxy, "GET /docs/a", [ann, evil, cross, "Sec-Fetch-Mode: cors"], "403"),
        (.proxy, "PUT /docs/a", [ann, evil, "If-Match: *"], "403"),
        (.proxy, "OPTIONS /docs/a", [ann, evil, "Access-Control-Request-Method: PUT"], "403"),
        (.proxy, "GET /docs/a", [ann, cross, "Sec-Fetch-Mode: no-cors"], "403"),
        (.proxy, "GET /docs/a", [ann, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"], "403"),
        (.proxy, "GET /docs/a", [ann, cross, "Sec-Fetch-Mode: navigate"], "403"),
        (.proxy, "POST /append/a", [ann, evil, cross, "Content-Type: text/plain"], "403"),
        (.proxy, "POST /append/a", [ann, "Origin: null", "Content-Type: text/plain"], "403"),
        (.proxy, "POST /append/a", [ann, cross, "Content-Type: text/plain"], "403"),
        (.proxy, "GET /ws", [ann, evil, "Sec-Fetch-Mode: websocket"], "403"),
        (.proxy, "GET /ws", [ann, "Origin: null"], "403"),
        (.proxy, "GET /events/a", [ann, evil, "Accept: text/event-stream"], "403"),
        (.proxy, "GET /docs/a", [ann, "Host: evil.example"], "400"),
        // Pages in `web_origins` may use the server, but never as the user that the proxy names.
        (.proxy, "GET /docs/a", [ann, app], "401 otherPage"),
        (.proxy, "POST /append/a", [ann, app, "Content-Type: text/plain"], "401 otherPage"),
        (.proxy, "GET /events/a", [ann, app, "Accept: text/event-stream"], "401 otherPage"),
        (.proxy, "GET /ws", [ann, app], "ws otherPage"),
        (.proxy, "OPTIONS /docs/a", [ann, app, "Access-Control-Request-Method: PUT"], "204"),
    ]

    fileprivate static func world(at listener: SiteGuard.Listener) throws -> WebWorld {
        let rights = try ["write:home/{user}/", "read:public/"].map { try #require(SignInRight($0)) }
        let siteGuard = SiteGuard(
            hosts: [try #require(Authority("caret.example.org"))],
            sites: [try #require(AllowedSites("https://app.example.org"))])
        return WebWorld(
            at: listener, siteGuard,
            proxySignIn: ProxySignIn(header: "X-Forwarded-User", lifeSeconds: 3_600, rights: rights))
    }

    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    fileprivate static func request(_ line: String, _ fields: [String]) -> [UInt8] {
        let lines =
            ["\(line) HTTP/1.1", "Host: caret.example.org"] + (line.hasSuffix("/ws") ? upgrade : []) + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    static let hello = #"{"type":"hello","protocol":1,"client":"alice-7f21"}"#

    /// Rules A27 to A29.
    @Test(
        "each request of the table is signed in, checked by its token, or refused", arguments: table.indices)
    func signIn(index: Int) throws {
        let (listener, line, fields, expected) = Self.table[index]
        let world = try Self.world(at: listener)
        var sent = world.receive(Self.request(line, fields)).joined()
        let isOpen = line == "GET /ws" && sent.hasPrefix("HTTP/1.1 101")
        if isOpen { sent += world.receive(ClientFrames.message(Self.hello)).joined() }
        #expect(!sent.lowercased().contains("access-control-allow-credentials"))
        #expect(Self.verdict(world, sent, isOpen) == expected, "\(line) \(fields): \(sent)")
    }

    private static func verdict(_ world: WebWorld, _ sent: String, _ isOpen: Bool) -> String {
        let notes = world.signInNotes
        for order in world.takeOrders() {
            switch order {
            case .join(let joining):
                guard case .proxied = joining.identity.credential else { return "joined" }
                return joining.identity.user.string
            case .authenticate(let token):
                return ([token.map { "token \($0.string)" } ?? "no token"] + notes).joined(separator: ", ")
            default: break
            }
        }
        let status = sent.dropFirst("HTTP/1.1 ".count).prefix(3)
        if isOpen {
            return (sent.contains(#""code":"unauthorized""#) ? ["ws"] : []).joined() + " " + notes.joined()
        }
        return ([String(status)] + notes).joined(separator: " ")
    }

    @Test("a name that is not UTF-8 is refused")
    func encoding() throws {
        let world = try Self.world(at: .proxy)
        var request = Self.request("GET /docs/a", [Self.ann])
        let end = try #require(request.firstRange(of: Array("ann".utf8))).upperBound
        request.insert(0xFF, at: end)
        #expect(world.receive(request).joined().hasPrefix("HTTP/1.1 401"))
        #expect(world.signInNotes == ["badUser"])
    }

    /// Rule A27.
    @Test("a user has the rights of sign_in_rights with their own name, and without these rights none")
    func rights() throws {
        let server = WebConversation(try Self.world(at: .proxy))
        server.send(Self.request("GET /docs", [Self.ann]))
        let grants = Grants([Grant(.write, to: .prefix("home/ann/")), Grant(.read, to: .prefix("public/"))])
        #expect(
            server.identities == [Identity(user: "ann", .proxied(until: nil), grants: try #require(grants))])
        let bare = WebWorld(
            at: .proxy, proxySignIn: ProxySignIn(header: "X-Forwarded-User", lifeSeconds: 60, rights: []))
        let other = WebConversation(bare)
        // Without `{user}` in a right, a name may have any parts.
        other.send(WebConversation.bytes(of: "GET /docs", ["X-Forwarded-User: ann/x"]))
        #expect(other.identities == [Identity(user: "ann/x", .proxied(until: nil), grants: .none)])
    }

    /// Rule A29.
    @Test("a WebSocket with a token in hello uses only that token, whatever the field says")
    func tokenInHello() throws {
        for fields in [
            [Self.ann, Self.own], [Self.own], [Self.ann, Self.ann, Self.own], [Self.ann, Self.app],
        ] {
            let world = try Self.world(at: .proxy)
            world.receive(Self.request("GET /ws", fields))
            let hello = #"{"type":"hello","protocol":1,"client":"alice-7f21","token":"t"}"#
            world.receive(ClientFrames.message(hello))
            #expect(world.takeOrders() == [.authenticate(token: "t")] && world.signInNotes == [])
        }
    }

    // MARK: One connection

    /// Rule A27.
    @Test(
        "requests of two users on one kept connection, and one of nobody, never get the rights of another one"
    )
    func keptConnection() throws {
        let server = WebConversation(try Self.world(at: .proxy))
        let text = #"{"type":"text","doc":"a","epoch":"k","rev":1,"text":"x","newline":"lf"}"#
        let users = ["ann", "bob", "bob", nil, "bob", "ann", "ann", nil]
        for user in users {
            server.forget()
            server.answers = [text]
            server.send(Self.request("GET /docs/a", user.map { ["X-Forwarded-User: \($0)"] } ?? []))
            #expect(try server.response().status == (user == nil ? "401 Unauthorized" : "200 OK"))
        }
        // The same user needs to join only once.
        #expect(server.identities.map(\.user) == ["ann", "bob", "ann"])
    }

    // MARK: The life of a sign-in

    /// Rule A28.
    @Test("only WebSockets and event streams have an end, an hour after their own beginning")
    func life() throws {
        let server = WebConversation(try Self.world(at: .proxy))
        server.answers = [#"{"type":"listed","docs":[]}"#]
        server.send(Self.request("GET /docs", [Self.ann]))
        server.pass(seconds: 10)
        let begin = server.world.now
        server.answers = [#"{"type":"done"}"#]
        server.send(Self.request("GET /events", [Self.ann]))
        #expect(
            server.identities.map(\.credential) == [.proxied(until: nil), .proxied(until: begin + 3_600_000)])
        let socket = WebConversation(try Self.world(at: .proxy))
        let start = socket.world.now
        socket.send(Self.request("GET /ws", [Self.ann, Self.own]))
        // The life begins with the handshake, when the proxy was asked.
        socket.pass(seconds: 5)
        socket.send(ClientFrames.message(Self.hello))
        #expect(socket.identities.map(\.credential) == [.proxied(until: start + 3_600_000)])
    }

    /// Rule A28.
    @Test("at its end, an event stream sends token_ended and ends, and a WebSocket is closed with 4004")
    func end() throws {
        let server = WebConversation(try Self.world(at: .proxy))
        server.answers = [#"{"type":"done"}"#]
        server.send(Self.request("GET /events", [Self.ann]))
        server.forget()
        server.happens { $0.hubSent(.ended(.tokenEnded)) }
        let bye = #"{"type":"bye","reason":"token_ended"}"#
        #expect(server.bytes == "data: \(bye)\n\n" && server.actions.contains("[endOutput]"))
        let socket = WebConversation(try Self.world(at: .proxy))
        socket.send(Self.request("GET /ws", [Self.ann, Self.own]))
        socket.send(ClientFrames.message(Self.hello))
        socket.forget()
        socket.happens { $0.hubSent(.ended(.tokenEnded)) }
        #expect(socket.actions.filter { $0.hasPrefix("<") } == ["<\(bye)>", "<close 4004 token_ended>"])
    }
}
