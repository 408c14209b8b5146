import CaretLog
import CaretRooms
import CaretWeb
import CaretWire
import TestSupport
import Testing

@Suite("The member that speaks the protocol for HTTP requests") struct WebMemberTests {
    private static let listed = #"{"type":"listed","docs":[]}"#
    private static let ack = #"{"type":"ack","doc":"a","seq":1,"rev":2}"#

    private let server = WebConversation()

    private func list(_ target: String = "/docs", _ fields: String...) throws -> WebResponse {
        server.answers = [Self.listed]
        return try server.request("GET \(target)", fields)
    }

    private func push(_ fields: String..., seq: Int = 1) throws -> WebResponse {
        server.answers = [Self.ack.replacing(#""seq":1"#, with: #""seq":\#(seq)"#)]
        return try server.request("PUT /docs/a?base=k/1", fields, body: "x")
    }

    /// The joins and leaves of members.
    private var changes: [String] { server.log.filter { !$0.hasPrefix("{") } }

    // MARK: One member for several requests

    @Test("a member is kept for the next requests of the same client")
    func kept() throws {
        for _ in 0..<3 {
            _ = try list()
            _ = try list("/docs?prefix=a", "Accept: text/html")
        }
        #expect(changes == ["join http-7f21 utf-16"] && server.messages.count == 6)
    }

    @Test(
        "a request with another token, client or unit gets a new member",
        arguments: [
            (["Authorization: Bearer t1"], "/docs", "join http-7f21 utf-16"),
            (["Caret-Client: client-7f21"], "/docs", "join client-7f21 utf-16"),
            ([], "/docs?unit=utf-8", "join http-7f21 utf-8"),
        ])
    func another(fields: [String], target: String, join: String) throws {
        _ = try list()
        server.answers = [Self.listed, Self.listed]
        #expect(try server.request("GET \(target)", fields).status == "200 OK")
        #expect(try server.request("GET \(target)", fields).status == "200 OK")
        #expect(changes == ["join http-7f21 utf-16", "leave", join])
        server.answers = [Self.listed]
        #expect(try server.request("GET /docs").status == "200 OK")
        #expect(changes.suffix(2) == ["leave", "join http-7f21 utf-16"])
    }

    @Test(
        "a push without Caret-Client is the first push of a new client",
        arguments: [
            "PUT /docs/a?base=k/1", "POST /docs/a?base=k/1", "POST /append/a", "POST /restore/a?to=k/1",
        ])
    func anonymousPushes(line: String) throws {
        _ = try list()
        server.send(WebConversation.bytes(of: line))
        #expect(changes == ["join http-7f21 utf-16", "leave", "join http-7f21 utf-16"])
    }

    @Test(
        "a request that pushes nothing needs no new client",
        arguments: [
            "GET /docs/a", "HEAD /docs/a", "DELETE /docs/a", "POST /rename/a?to=b", "GET /history/a",
            "GET /docs",
        ])
    func otherAnonymousRequests(line: String) throws {
        #expect(try push().status == "204 No Content")
        server.send(WebConversation.bytes(of: line))
        #expect(changes == ["join http-7f21 utf-16"] && server.messages.count == 2)
    }

    @Test("pushes with Caret-Client and Caret-Seq share a member")
    func namedPushes() throws {
        for seq in [5, 6, 6] {
            let response = try push("Caret-Client: client-7f21", "Caret-Seq: \(seq)", seq: seq)
            #expect(response.status == "204 No Content")
        }
        _ = try list("/docs", "Caret-Client: client-7f21")
        #expect(changes == ["join client-7f21 utf-16"])
        #expect(server.messages.filter { $0.contains(#""seq":6"#) }.count == 2)
    }

    @Test("a request that needs no member keeps the member")
    func otherRequests() throws {
        _ = try list()
        for line in ["GET /healthz", "GET /nothing", "OPTIONS /docs", "GET /ws", "GET /docs?x=1"] {
            _ = try server.request(line)
        }
        _ = try list()
        #expect(changes == ["join http-7f21 utf-16"])
    }

    @Test("an upgrade to WebSocket ends the member of earlier requests")
    func upgrade() throws {
        _ = try list()
        server.send(WebWorld.upgrade)
        #expect(changes == ["join http-7f21 utf-16", "leave"])
    }

    @Test("a member leaves when its connection ends")
    func leaving() throws {
        for end in [{ $0.endInput() }, { $0.shutDown() }, { $0.pass(seconds: 60) }]
            as [(WebConversation) -> Void]
        {
            let server = WebConversation()
            server.answers = [Self.listed]
            try server.request("GET /docs")
            end(server)
            #expect(
                server.log.last == "leave"
                    && server.actions == ["[authenticate]", "[join]", "[ask]", "[leave]", "[close]"])
        }
    }

    // MARK: Fields

    @Test(
        "fields that name a client must be valid, and occur once",
        arguments: [
            (["Caret-Client: client-7f21"], "400 bad_request"), (["Caret-Seq: 1"], "400 bad_request"),
            (["Caret-Client: client-7f21", "Caret-Seq: x"], "400 bad_request"),
            (["Caret-Client: client-7f21", "Caret-Seq: -1"], "400 bad_request"),
            (["Caret-Client: client-7f21", "Caret-Seq: 1", "Caret-Seq: 1"], "400 bad_request"),
            (["Caret-Client: client-7f21", "Caret-Client: client-7f21", "Caret-Seq: 1"], "400 bad_request"),
            (["Caret-Client: short", "Caret-Seq: 1"], "400 bad_message"),
            (["Caret-Client: client-\u{E9}", "Caret-Seq: 1"], "400 bad_message"),
            (["Authorization: Bearer a", "Authorization: Bearer a"], "400 bad_request"),
        ])
    func badFields(fields: [String], summary: String) throws {
        let response = try server.request("PUT /docs/a?base=k/1", fields, body: "x")
        #expect(response.summary == summary && response.closes && server.messages == [])
    }

    @Test(
        "the token is the second word of Authorization", arguments: ["Bearer t1", "bearer t1", "BEARER t1"])
    func token(value: String) throws {
        server.tokens = [
            "t1": .known(Identity(user: "ann", token: TokenID(1), grants: .all)), "t2": .unknown,
        ]
        #expect(try list("/docs", "Authorization: \(value)").status == "200 OK")
    }

    @Test(
        "another form of Authorization gets 401, and the server is not asked",
        arguments: ["Basic dTpw", "Bearer", "Bearer ", "Bearer a b", "t1", "Bearer  t1"])
    func otherSchemes(value: String) throws {
        let response = try list("/docs", "Authorization: \(value)")
        #expect(response.summary == "401 unauthorized" && response["WWW-Authenticate"] == "Bearer")
        #expect(server.log == [] && !response.closes)
    }

    @Test("an unknown token gets 401, and the next request may bring another one")
    func unauthorized() throws {
        server.tokens = ["t2": .unknown]
        let response = try list("/docs", "Authorization: Bearer t2")
        #expect(response.summary == "401 unauthorized" && response["WWW-Authenticate"] == "Bearer")
        #expect(server.log == [] && !response.closes)
        #expect(try list("/docs", "Authorization: Bearer t1").status == "200 OK")
    }

    @Test("a token that the hub finds ended gets 401, which says when it ended")
    func ended() throws {
        server.refusal = ErrorReport(.unauthorized, "the token ended at 2026-11-01T00:00:00Z")
        let response = try list("/docs", "Authorization: Bearer t2")
        #expect(response.summary == "401 unauthorized")
        #expect(response.body.contains("the token ended at 2026-11-01T00:00:00Z"))
        server.refusal = nil
        #expect(try list("/docs", "Authorization: Bearer t2").status == "200 OK")
    }

    @Test("too many unknown tokens get 429, and the time to wait")
    func guessing() throws {
        server.tokens = ["t2": .tooOften(retryAfterMilliseconds: 5_500), "t3": .failed]
        let response = try list("/docs", "Authorization: Bearer t2")
        #expect(response.summary == "429 rate_limited" && response["Retry-After"] == "6")
        #expect(try list("/docs", "Authorization: Bearer t3").summary == "500 storage_failed")
    }

    @Test("errors are counted, even if they end the member")
    func refusals() throws {
        server.tokens = ["t2": .unknown]
        for (token, target) in [("t2", "/docs"), ("t1", "/docs?limit=0"), ("t1", "/docs/..")] {
            _ = try list(target, "Authorization: Bearer \(token)")
        }
        #expect(server.world.refusals == [.unauthorized: 1, .badMessage: 1, .badName: 1])
    }

    @Test("a client that pushes too often gets 429 with the time to wait")
    func rate() throws {
        let world = WebWorld { $0.announced.pushesPerSecond = 1 }
        let server = WebConversation(world)
        let fields = ["Caret-Client: client-7f21", "Caret-Seq: 1"]
        server.answers = [Self.ack, Self.ack]
        for _ in 0..<2 {
            #expect(try server.request("PUT /docs/a?base=k/1", fields, body: "x").status == "204 No Content")
        }
        let response = try server.request("PUT /docs/a?base=k/1", fields, body: "x")
        #expect(response.summary == "429 rate_limited" && response["Retry-After"] == "1" && !response.closes)
    }
}
