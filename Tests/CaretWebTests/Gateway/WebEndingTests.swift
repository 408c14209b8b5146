import CaretLog
import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("Requests whose member or server ends") struct WebEndingTests {
    private static let ack = #"{"type":"ack","doc":"a","seq":1,"rev":2}"#
    private static let opened =
        #"{"type":"opened","doc":"a","epoch":"k","rev":1,"text":"x","rights":"write","newline":"lf"}"#
    private static let get = WebConversation.bytes(of: "GET /docs")
    private static let put = WebConversation.bytes(of: "PUT /docs/a?base=k/1", body: "one")
    private static let append = WebConversation.bytes(of: "POST /append/a", body: "one")
    private static let partOfBody = WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: 9"])

    private let server = WebConversation()

    private func end(_ reason: ByeReason) { server.happens { $0.hubSent(.ended(reason)) } }

    // MARK: The server stops

    @Test("at shutdown a request before its welcome gets 503")
    func shutDownJoining() throws {
        server.admits = false
        server.send(Self.get)
        server.shutDown(retryAfterMilliseconds: 2_500)
        let response = try server.response()
        #expect(response.summary == "503 shutting_down" && response.closes)
        #expect(response["Retry-After"] == "3")
        #expect(server.actions.suffix(2) == ["[leave]", "[endOutput]"])
    }

    @Test("a connection that a stopping server has accepted is closed after its first request")
    func acceptedLate() throws {
        server.admits = false
        server.send(Self.get)
        let report = ErrorReport(.shuttingDown, "the server is shutting down")
        server.happens { $0.hubSent(.refused(report)) }
        let response = try server.response()
        #expect(response.summary == "503 shutting_down" && response.closes)
        #expect(server.actions.suffix(2) == ["[leave]", "[endOutput]"])
    }

    @Test("at shutdown a request under way still gets its answer")
    func shutDownAsking() throws {
        server.send(Self.get)
        server.shutDown()
        #expect(server.responses == [])
        server.hub(#"{"type":"listed","docs":[]}"#)
        #expect(try server.response().status == "200 OK" && server.response().closes)
        #expect(server.actions.suffix(2) == ["[leave]", "[endOutput]"])
    }

    @Test("at shutdown a request whose body arrives gets 503, not a push")
    func shutDownInBody() throws {
        server.send(Self.partOfBody + Array("one".utf8))
        server.shutDown(retryAfterMilliseconds: 2_500)
        let response = try server.response()
        #expect(response.summary == "503 shutting_down" && response.closes)
        #expect(response["Retry-After"] == "3" && server.messages == [])
        server.send("two")
        #expect(server.responses.count == 1)
    }

    @Test("after shutdown a request that had begun gets 503")
    func shutDownInHead() throws {
        server.send(Array(Self.get.prefix(9)))
        server.shutDown()
        server.send(Array(Self.get.dropFirst(9)))
        let response = try server.response()
        #expect(response.summary == "503 shutting_down" && response.closes && server.log == [])
        #expect(response["Retry-After"] == "1")
    }

    @Test("at shutdown a push that was committed gets its success", arguments: [false, true])
    func shutDownAfterAck(isAppend: Bool) throws {
        server.answers = isAppend ? [Self.opened] : []
        server.send(isAppend ? Self.append : Self.put)
        server.shutDown()
        server.room(Self.ack, to: isAppend ? 1 : 0)
        if isAppend { server.end(1) }
        let response = try server.response()
        #expect(response.status == (isAppend ? "200 OK" : "204 No Content") && response.closes)
        #expect(response["ETag"] == #""k/2""#)
    }

    // MARK: The server ends the member

    @Test(
        "a request whose member ends gets the reason",
        arguments: [
            (ByeReason.replaced, "409 replaced"), (.revoked, "401 unauthorized"),
            (.tooSlow, "408 bad_request"),
            (.idle, "408 bad_request"),
        ])
    func endedInBody(reason: ByeReason, summary: String) throws {
        server.send(Self.partOfBody)
        end(reason)
        let response = try server.response()
        #expect(response.summary == summary && response.closes && server.log.last == "leave")
        #expect(response["WWW-Authenticate"] == (reason == .revoked ? "Bearer" : nil))
    }

    @Test("a request before its welcome gets the reason; the next one is served")
    func endedJoining() throws {
        for (reason, summary) in [(ByeReason.replaced, "409 replaced"), (.revoked, "401 unauthorized")] {
            let server = WebConversation()
            server.admits = false
            server.send(Self.get)
            server.happens { $0.hubSent(.ended(reason)) }
            #expect(try server.response().summary == summary && !server.response().closes)
            server.admits = true
            server.answers = [#"{"type":"listed","docs":[]}"#]
            #expect(try server.request("GET /docs").status == "200 OK")
        }
    }

    @Test("if a member ends while it is answered, the connection closes")
    func endedWhileAsking() throws {
        // A late answer to this request must not reach the member of another request.
        server.send(Self.put)
        end(.replaced)
        #expect(try server.response().summary == "409 replaced" && server.response().closes)
        server.room(Self.ack, to: 0)
        #expect(server.responses.count == 1)
    }

    @Test("a request under way when its token is revoked is answered first")
    func revokedWhileAsking() throws {
        server.send(Self.put)
        end(.revoked)
        #expect(server.responses == [])
        server.room(Self.ack, to: 0)
        #expect(try server.response().status == "204 No Content")
    }

    @Test("a push that was committed gets its success, whatever ends the member")
    func endedAfterAck() throws {
        server.answers = [Self.opened, Self.ack]
        server.send(Self.append)
        #expect(server.responses == [])
        end(.replaced)
        let response = try server.response()
        #expect(response.status == "200 OK" && response.closes)
    }

    @Test("a member that ends between requests is replaced at the next request")
    func endedBetween() throws {
        for reason in [ByeReason.replaced, .revoked] {
            let server = WebConversation()
            server.answers = [#"{"type":"listed","docs":[]}"#, #"{"type":"listed","docs":[]}"#]
            try server.request("GET /docs")
            server.happens { $0.hubSent(.ended(reason)) }
            #expect(server.log.last == "leave" && !server.actions.contains("[close]"))
            #expect(try server.request("GET /docs").status == "200 OK")
            #expect(server.log.filter { $0.hasPrefix("join") }.count == 2)
        }
    }

    @Test("late lines of rooms and the hub are ignored")
    func late() {
        server.answers = [#"{"type":"listed","docs":[]}"#]
        server.send(Self.get)
        server.room(Self.ack, to: 0)
        server.end(1)
        server.hub(#"{"type":"listed","docs":[]}"#)
        #expect(server.responses.count == 1)
        server.send(WebConversation.bytes(of: "GET /healthz"))
        #expect(server.responses.count == 2)
    }

    @Test("after too many requests with a bad body, the connection closes")
    func manyFaults() throws {
        let fields = ["Caret-Client: client-7f21", "Caret-Seq: 1"]
        for number in 1...20 {
            server.answers = [Self.opened, #"{"type":"closed","doc":"a"}"#]
            let response = try server.request("POST /docs/a?base=k/1", fields, body: "{")
            #expect(response.summary == "400 bad_json" && response.closes == (number == 20))
        }
    }
}
