import TestSupport
import Testing

@Suite("Sign-outs over sockets", .onOwnThread) struct SignOutTests {
    private static func field(_ token: String) -> String { "Authorization: Bearer \(token)" }

    /// Rules A25, A26 and E6.
    @Test(
        "a signed-out user is disconnected, and earlier tokens stay invalid, also after a crash",
        arguments: Transport.lines(and: .webSocket))
    func user(transport: Transport) throws {
        let signed = try SignedServer(over: transport)
        let old = try signed.token(of: "ann", age: 100)
        // It has ended, and is still valid, because clocks differ.
        let ended = try signed.token(of: "ann", age: 600, life: -20)
        let ann = try signed.connect(with: old)
        let late = try signed.connect(with: ended, as: "ann-tablet")
        let bob = try signed.connect(with: signed.token(of: "bob"), as: "bob-client")
        for client in [ann, late, bob] { try client.expect(#"{"type":"welcome",…"#) }
        let admin = try LineClient(signed.server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"sign_out","id":1,"user":"ann"}"#)
        try admin.expect(#"{"type":"done","id":1}"#)
        for client in [ann, late] {
            try client.expect(#"{"type":"bye","reason":"token_ended"}"#)
            try client.expectEnd()
        }
        for token in [old, ended] {
            let again = try signed.connect(with: token)
            try again.expect(#"{"type":"error","code":"token_ended","message":"the token was signed out"}"#)
        }
        try bob.send(#"{"type":"authenticate","token":"\#(try signed.token(of: "bob"))"}"#)
        try bob.expect(#"{"type":"authenticated","user":"bob",…"#)
        let new = try signed.token(of: "ann", age: -5)
        try signed.connect(with: new).expect(#"{"type":"welcome",…"#)
        try signed.server.kill()
        let client = try LineClient(try signed.server.startAgain())
        for token in [old, ended] {
            let refusal = try client.fetch("GET /docs", Self.field(token))
            #expect(refusal.status == 401 && refusal.code == "token_ended")
            #expect(refusal.fields["www-authenticate"] == #"Bearer error="invalid_token""#)
        }
        #expect(try client.fetch("GET /docs", Self.field(new)).status == 200)
    }

    @Test("a backend signs users out over HTTP, by name and by token, and the event streams of both end")
    func backend() throws {
        let signed = try SignedServer()
        let admin = try LineClient(signed.server, at: .adminSocket)
        let added = try admin.fetch(
            "POST /tokens", "Content-Type: application/json",
            body: #"{"user":"backend","grants":[{"rights":"admin","prefix":""}]}"#)
        let text = try #require(added.body.split(separator: #""token":""#).last?.split(separator: "\"").first)
        let client = try LineClient(signed.server)
        for (user, body) in [("ann", #"{"user":"ann"}"#), ("bob", #"{"jti":"phone-7"}"#)] {
            let token = try signed.token(of: user, age: 9, id: "phone-7")
            let stream = try LineClient(signed.server)
            try stream.send(
                "GET /events HTTP/1.1\r\nHost: localhost\r\n\(Self.field(token))\r\nConnection: close\r\n\r")
            try #require(try stream.next()?.hasPrefix("HTTP/1.1 200 ") == true)
            let answer = try client.fetch(
                "POST /sign-out", Self.field(String(text)), "Content-Type: application/json", body: body)
            #expect(answer.status == 204)
            #expect(try stream.remainingMessages().contains { $0.contains("token_ended") })
            #expect(try client.fetch("GET /docs", Self.field(token)).code == "token_ended")
        }
        let root = try signed.token(of: "root", #"{"admin":[""]}"#)
        let json = "Content-Type: application/json"
        #expect(
            try client.fetch("POST /sign-out", Self.field(root), json, body: #"{"user":"b"}"#).status == 204)
        let plain = try LineClient(signed.server).fetch(
            "POST /sign-out", Self.field(root), "Content-Type: text/plain", body: #"{"user":"b"}"#)
        #expect(plain.status == 415)
        let neither = try LineClient(signed.server).fetch(
            "POST /sign-out", Self.field(root), json, body: "{}")
        #expect(neither.status == 400 && neither.code == "bad_message")
    }
}

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite(
    "Sign-outs at several servers", .onOwnThread, .serialized,
    .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct SeveralServersSignOutTests {
    private let signed: SignedServer
    private let cluster: ReplicatedCluster
    private var servers: [String: LiveServer] = [:]

    init() throws {
        signed = try SignedServer()
        cluster = try ReplicatedCluster()
        if !cluster.hasNetwork { return }
        for (name, network) in SeveralServersSignOutTests.networks {
            let options = ["--store": cluster.address, "--node": name].merging(signed.options) { $1 }
            servers[name] = try LiveServer(options, through: cluster.wrapper(of: network), isElsewhere: true)
        }
    }

    /// The network of each server.
    private static let networks = ["a": "a", "b": "b", "c": "c", "d": "c"]

    /// A client in the network of a server, which is another one than that of the test.
    private func client(of server: String, with token: String, as client: String) throws -> Program {
        let port = try #require(servers[server]).port
        let network = try #require(SeveralServersSignOutTests.networks[server])
        let program = try Program(
            cluster.wrapper(of: network) + ["nc", "127.0.0.1", "\(port)"], readsLines: true)
        try program.send(#"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#)
        return program
    }

    /// Rule A26.
    @Test("a user is signed out at all servers, and at one that is cut off as soon as it is back")
    func cutOff() throws {
        defer { cluster.end() }
        if let obstacle = ReplicatedCluster.networkObstacle {
            return print("SKIPPED a sign-out with a server that is cut off: \(obstacle)")
        }
        let old = try signed.token(of: "ann", age: 100)
        let clients = try ["a", "b", "c"].map { try client(of: $0, with: old, as: "ann-at-\($0)") }
        for one in clients { #expect(try one.output.next()?.hasPrefix(#"{"type":"welcome""#) == true) }
        try cluster.cut("c", from: [1, 2, 3])
        let admin = try #require(servers["a"]).connect()
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"sign_out","user":"ann"}"#)
        #expect(try admin.next() == #"{"type":"done"}"#)
        let bye = #"{"type":"bye","reason":"token_ended"}"#
        var began = ContinuousClock.now
        #expect(try clients[0].output.next() == bye && clients[1].output.next() == bye)
        print("Sign-out: the connections at both servers ended after \(ContinuousClock.now - began)")
        // A server that has not read whom others have signed out waits for the database, for ten seconds. By then the
        // other one has not reached it for more than five, so it accepts no signed token any more.
        for name in ["d", "c"] {
            let bob = try client(of: name, with: try signed.token(of: "bob"), as: "bob-client")
            let refusal = try #require(try bob.output.next())
            #expect(
                refusal.contains(#""code":"storage_failed""#) && refusal.contains(#""retry_after_ms":1000"#))
        }
        try cluster.join("c", to: [1, 2, 3])
        began = ContinuousClock.now
        #expect(try clients[2].output.next() == bye)
        print(
            "Sign-out: the connection at the server that was cut off ended \(ContinuousClock.now - began) later"
        )
        let again = try client(of: "c", with: old, as: "ann-again")
        #expect(try again.output.next()?.contains(#""code":"token_ended""#) == true)
        let new = try client(of: "c", with: try signed.token(of: "ann", age: -5), as: "ann-anew")
        #expect(try new.output.next()?.hasPrefix(#"{"type":"welcome""#) == true)
        for server in servers.values { #expect(try server.stop().status == 0) }
    }
}
