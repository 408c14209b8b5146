import CaretSignIn
import Foundation
import Glibc
import TestSupport
import Testing

/// A server that accepts signed tokens. Each of its keys has an id.
final class SignedServer {
    static let audience = "notes.example.org"
    /// The first key is that of RFC 8037, appendix A; the others are secrets.
    static let keys = [
        #"{"kty":"OKP","crv":"Ed25519","kid":"one","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        #"{"kty":"oct","kid":"two","k":"\#(String(repeating: "A", count: 43))"}"#,
        #"{"kty":"oct","kid":"three","k":"\#(String(repeating: "B", count: 42))A"}"#,
    ]
    private static let privateKey =
        #"{"kty":"OKP","crv":"Ed25519","kid":"one","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","#
        + #""x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#

    let server: LiveServer
    /// Those of a server that requires tokens, and has the keys.
    let options: [String: String]
    private let scratch: Scratch
    private var path: String { scratch.path + "/keys.json" }

    init(over transport: Transport = .lines, _ options: [String: String] = [:]) throws {
        scratch = try .inMemory()
        self.options = [
            "--require-tokens": "true", "--token-keys": scratch.path + "/keys.json",
            "--token-audience": Self.audience,
        ]
        try Self.write([0, 1], to: scratch.path + "/keys.json")
        server = try LiveServer(self.options.merging(options) { $1 }, over: transport)
    }

    private static func write(_ numbers: [Int], to path: String) throws {
        let text = #"{"keys":[\#(numbers.map { keys[$0] }.joined(separator: ","))]}"#
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
    }

    /// Replaces the keys of the server, and waits until they count.
    func use(keys numbers: [Int]) throws {
        try Self.write(numbers, to: path)
        try reload(logging: #/ event=reloaded /#)
    }

    /// Replaces the file of the keys by one that the server refuses.
    func breakKeys() throws {
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        try reload(logging: #/ event=reload_failed fault="token_keys: /#)
    }

    private func reload(logging event: some RegexComponent) throws {
        server.program.kill(SIGHUP)
        try server.waitForLog(event)
    }

    /// Signs a token that begins `age` seconds ago and ends in `life` seconds.
    func token(
        of user: String, _ rights: String = #"{"write":["notes/"]}"#, age: Int = 0, life: Int = 3_600,
        key: Int = 0, audience: String = audience, id: String = "t"
    ) throws -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        let signer = try TokenSigner(text: Array((key == 0 ? Self.privateKey : Self.keys[key]).utf8))
        let header = #"{"alg":"\#(signer.algorithm.rawValue)","kid":"\#(["one", "two", "three"][key])"}"#
        let claims =
            #"{"sub":"\#(user)","iat":\#(now - age),"exp":\#(now + life),"aud":"\#(audience)","jti":"\#(id)","caret":\#(rights)}"#
        return signer.sign(header: Array(header.utf8), claims: Array(claims.utf8))
    }

    /// A new client that has sent a hello with this token.
    func connect(with token: String, as client: String = "ann-client") throws -> any MessageClient {
        let connection = try server.connect()
        try connection.send(#"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#)
        return connection
    }
}

@Suite("Signed tokens over sockets", .onOwnThread) struct SignedTokenTests {
    /// Rules A21 and H10.
    @Test(
        "a signed token gives its user the rights of its claims", arguments: Transport.lines(and: .webSocket))
    func signIn(transport: Transport) throws {
        let signed = try SignedServer(over: transport)
        for key in [0, 1] {
            let ann = try signed.connect(with: signed.token(of: "ann", key: key))
            try ann.expect(
                #"{"type":"welcome",…,"user":"ann",…"grants":[{"rights":"write","prefix":"notes/"}],"expires":…,"expires_in_ms":3…"#
            )
            try ann.send(#"{"type":"push","doc":"notes/\#(key)","base":0,"seq":1,"text":"x","create":true}"#)
            try ann.expect(#"{"type":"ack","doc":"notes/\#(key)",…"#)
            try ann.send(#"{"type":"read","doc":"else"}"#)
            try ann.expect(#"{"type":"error",…"code":"not_found",…"#)
            try ann.send(#"{"type":"list_tokens"}"#)
            try ann.expect(#"{"type":"error",…"code":"forbidden",…"#)
        }
        let stored = try LineClient(signed.server, at: .adminSocket)
        try stored.greet(as: "the-admin")
        try stored.send(#"{"type":"list_tokens"}"#)
        try stored.expect(#"{"type":"tokens","tokens":[]}"#)
    }

    /// Rule A21.
    @Test("a token that breaks a rule is refused, and one that has ended gets its own code")
    func refused() throws {
        let signed = try SignedServer()
        let good = try signed.token(of: "ann")
        for (token, code) in [
            (try signed.token(of: "ann", audience: "other"), "unauthorized"),
            (try signed.token(of: "anonymous"), "unauthorized"),
            (try signed.token(of: "ann", life: 365 * 86_400), "unauthorized"),
            (try signed.token(of: "ann", key: 2), "unauthorized"),
            (try signed.token(of: "ann", age: -90), "unauthorized"),
            (String(good.dropLast(2)), "unauthorized"),
        ] {
            let client = try signed.connect(with: token)
            try client.expect(#"{"type":"error","code":"\#(code)",…"#)
            try client.expectEnd()
        }
        let late = try signed.connect(with: signed.token(of: "ann", age: 600, life: -61))
        try late.expect(#"{"type":"error","code":"token_ended",…"#)
        try late.expectEnd()
        // Clocks may differ by a minute in either direction.
        for (age, life) in [(600, -50), (-50, 600)] {
            let client = try signed.connect(with: signed.token(of: "ann", age: age, life: life))
            try client.expect(#"{"type":"welcome",…"#)
        }
    }

    @Test("over HTTP, a token that has ended gets 401 with `invalid_token`, and each request has its own")
    func http() throws {
        let signed = try SignedServer()
        let client = try LineClient(signed.server)
        let field = { (token: String) in "Authorization: Bearer \(token)" }
        let ended = try client.fetch("GET /docs", field(try signed.token(of: "ann", age: 600, life: -61)))
        #expect(ended.status == 401 && ended.code == "token_ended")
        #expect(ended.fields["www-authenticate"] == #"Bearer error="invalid_token""#)
        #expect(try client.fetch("GET /docs", field(try signed.token(of: "ann"))).status == 200)
        #expect(try client.fetch("GET /docs", field(try signed.token(of: "ann", "{}"))).status == 200)
        #expect(try client.fetch("GET /docs", "X: 1").code == "unauthorized")
    }

    /// Rules A21 and E6.
    @Test("SIGHUP changes the keys: connections with a key that is gone end, and others go on")
    func rotation() throws {
        let signed = try SignedServer()
        let first = try signed.connect(with: signed.token(of: "ann", key: 0))
        let second = try signed.connect(with: signed.token(of: "bob", key: 1), as: "bob-client")
        for client in [first, second] { try client.expect(#"{"type":"welcome",…"#) }
        try signed.breakKeys()
        try signed.use(keys: [0, 1, 2])
        try first.send(#"{"type":"push","doc":"notes/a","base":0,"seq":1,"text":"x","create":true}"#)
        try first.expect(#"{"type":"ack",…"#)
        try signed.use(keys: [1, 2])
        try first.expect(#"{"type":"bye","reason":"token_ended"}"#)
        try first.expectEnd()
        let late = try signed.connect(with: signed.token(of: "ann", key: 0))
        try late.expect(#"{"type":"error","code":"unauthorized",…"#)
        try second.send(#"{"type":"authenticate","id":1,"token":"\#(try signed.token(of: "bob", key: 2))"}"#)
        try second.expect(#"{"type":"authenticated","id":1,"user":"bob",…"#)
        try signed.use(keys: [2])
        try second.send(#"{"type":"ping"}"#)
        try second.expect(#"{"type":"pong"}"#)
    }

    /// Rule H12.
    @Test(
        "a client without a token may read what guests may, and a wrong or ended token never becomes a guest")
    func guests() throws {
        let signed = try SignedServer(["--guest-read": "notes/public/"])
        let admin = try LineClient(signed.server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        for name in ["notes/public/a", "notes/b"] {
            try admin.send(#"{"type":"push","doc":"\#(name)","base":0,"seq":1,"text":"x","create":true}"#)
            try admin.expect(#"{"type":"ack",…"#)
        }
        let guest = try LineClient(signed.server)
        try guest.send(#"{"type":"hello","protocol":1,"client":"guest-client"}"#)
        try guest.expect(#"{"type":"welcome",…,"user":"anonymous",…"rights":"read"}"#)
        try guest.send(#"{"type":"list"}"#)
        try guest.expect(#"{"type":"listed","docs":[{"doc":"notes/public/a",…}]}"#)
        try guest.send(#"{"type":"read","doc":"notes/b"}"#)
        try guest.expect(#"{"type":"error",…"code":"not_found",…"#)
        try guest.send(#"{"type":"delete","doc":"notes/public/a"}"#)
        try guest.expect(#"{"type":"error",…"code":"forbidden",…"#)
        let client = try LineClient(signed.server)
        #expect(try client.fetch("GET /docs/notes/public/a").body == "x")
        for token in ["x", "", try signed.token(of: "ann", age: 600, life: -61)] {
            #expect(
                try client.fetch("GET /docs/notes/public/a", "Authorization: Bearer \(token)").status == 401)
            let wrong = try signed.connect(with: token)
            try wrong.expect(#"{"type":"error",…"#)
            try wrong.expectEnd()
        }
    }

    /// Rules A22 and A23.
    @Test(
        "another token of the user widens or narrows rights live; one of another user changes nothing",
        arguments: Transport.lines(and: .webSocket))
    func rights(transport: Transport) throws {
        let signed = try SignedServer(over: transport)
        let ann = try signed.connect(with: signed.token(of: "ann"))
        try ann.expect(#"{"type":"welcome",…"#)
        try ann.send(#"{"type":"open","doc":"notes/a","create":true}"#)
        try ann.expect(#"{"type":"opened","doc":"notes/a",…"rights":"write",…"#)
        for rights in ["read", "write"] {
            let token = try signed.token(of: "ann", #"{"\#(rights)":["notes/"]}"#)
            try ann.send(#"{"type":"authenticate","id":1,"token":"\#(token)"}"#)
            let lines = [try ann.next() ?? "", try ann.next() ?? ""]
            #expect(lines.contains(#"{"type":"rights","doc":"notes/a","rights":"\#(rights)"}"#), "\(lines)")
            #expect(
                lines.contains {
                    $0.hasPrefix(#"{"type":"authenticated","id":1,"user":"ann","changed":true,"#)
                })
        }
        try ann.send(#"{"type":"authenticate","id":2,"token":"\#(try signed.token(of: "bob"))"}"#)
        try ann.expect(#"{"type":"error","id":2,"code":"forbidden",…"#)
        try ann.send(#"{"type":"push","doc":"notes/a","base":0,"seq":1,"text":"x"}"#)
        try ann.expect(#"{"type":"ack","doc":"notes/a",…"#)
    }

    /// Rule H13.
    @Test(
        "others see the name and color of the token, and that they are verified; a client cannot claim that")
    func verified() throws {
        let signed = try SignedServer()
        func join(_ user: String, _ claims: String, _ info: String) throws -> any MessageClient {
            let client = try signed.server.connect()
            let token = try signed.token(of: user, #"{"write":["notes/"]}\#(claims)"#)
            try client.send(
                #"{"type":"hello","protocol":1,"client":"\#(user)-client","token":"\#(token)","info":\#(info)}"#
            )
            let welcome = try #require(try client.next())
            #expect(welcome.hasPrefix(#"{"type":"welcome","#))
            #expect(welcome.contains(#","info":{"#) != claims.isEmpty)
            if !claims.isEmpty {
                #expect(welcome.contains(##","info":{"name":"Ann B.","color":"#c33","verified":true}"##))
            }
            try client.send(#"{"type":"open","doc":"notes/a","create":true}"#)
            return client
        }
        let eve = try join("eve", "", #"{"name":"Ann","verified":true,"pet":"cat"}"#)
        try eve.expect(#"{"type":"opened",…"#)
        let ann = try join(
            "ann", ##","name":"Ann B.","color":"#c33""##, ##"{"name":"Root","color":"#000","pet":1}"##)
        try ann.expect(#"{"type":"opened",…"#)
        try eve.send(#"{"type":"select","doc":"notes/a","rev":0,"selections":[[0,0]]}"#)
        try ann.expect(#"{"type":"peer",…"user":"eve",…"info":{"name":"Ann","pet":"cat"},…"#)
        try ann.send(#"{"type":"select","doc":"notes/a","rev":0,"selections":[[0,0]]}"#)
        try eve.expect(
            ##"{"type":"peer",…"user":"ann",…"info":{"name":"Ann B.","color":"#c33","verified":true,"pet":1},…"##
        )
    }

    /// Rule A22.
    @Test("tokens are refreshed with edits in flight: nothing is lost, doubled or closed")
    func refreshes() throws {
        let signed = try SignedServer(["--limit-pushes-per-second": "1000000"])
        let ann = try signed.connect(with: signed.token(of: "ann"))
        try ann.expect(#"{"type":"welcome",…"#)
        try ann.send(#"{"type":"open","doc":"notes/a","create":true}"#)
        let opened = try #require(
            Pattern(#"{"type":"opened",…"epoch":"⟨epoch⟩",…"#).matches(try ann.next() ?? ""))
        let epoch = opened["epoch", default: ""]
        let tokens = try (0..<10).map { try signed.token(of: "ann", life: 3_600 + $0, key: $0 % 2) }
        let count = Seeds.share(of: 10_000, everyCommit: 1_000)
        for number in 1...count {
            let edit = #"{"range":[0,0],"text":"\#(number % 10)"}"#
            try ann.send(
                #"{"type":"push","doc":"notes/a","epoch":"\#(epoch)","base":\#(number - 1),"seq":\#(number),"edits":[\#(edit)]}"#
            )
            try ann.send(#"{"type":"authenticate","id":\#(number),"token":"\#(tokens[number % 10])"}"#)
            let lines = [try ann.next() ?? "", try ann.next() ?? ""]
            #expect(
                lines.contains { $0.hasPrefix(#"{"type":"authenticated","id":\#(number),"user":"ann","#) })
            #expect(
                lines.contains(#"{"type":"ack","doc":"notes/a","seq":\#(number),"rev":\#(number)}"#),
                "\(lines)")
        }
        try ann.send(#"{"type":"read","doc":"notes/a"}"#)
        let text = String((1...count).reversed().map { "\($0 % 10)" }.joined())
        try ann.expect(#"{"type":"text","doc":"notes/a",…"rev":\#(count),"text":"\#(text)",…"#)
    }
}
