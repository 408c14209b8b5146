import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("Bodies that do not arrive whole, or are too long") struct WebBodyEndTests {
    private static let ack = #"{"type":"ack","doc":"a","seq":1,"rev":2}"#
    private static let opened =
        #"{"type":"opened","doc":"a","epoch":"k","rev":1,"text":"x","rights":"write","newline":"lf"}"#

    private static func conversation(_ answers: [String] = [ack]) -> WebConversation {
        let server = WebConversation()
        server.answers = answers
        return server
    }

    // MARK: Bodies that are refused

    @Test("a too long Content-Length is refused before any message is sent")
    func tooLong() throws {
        func server() -> WebConversation {
            let world = WebWorld {
                $0.announced.document = 100
                $0.announced.line = 150
            }
            return WebConversation(world)
        }
        let refusing = server()
        let response = try refusing.request("PUT /docs/a?base=k/1", ["Content-Length: 201"])
        #expect(response.summary == "413 too_large" && response.closes && refusing.log == [])
        #expect(response.body.contains("201") && response.body.contains("200"))
        let fields = ["Content-Length: 200", "Expect: 100-continue"]
        #expect(try server().request("PUT /docs/a?base=k/1", fields).status == "100 Continue")
    }

    @Test("a body that makes the message too long is refused while it arrives", arguments: [true, false])
    func lineTooLong(isChunked: Bool) throws {
        let world = WebWorld {
            $0.announced.document = 100
            $0.announced.line = 150
        }
        let server = WebConversation(world)
        // The fields of the push come before the body.
        let body = String(repeating: "\n", count: 100)
        if isChunked {
            server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Transfer-Encoding: chunked"]))
            server.send("64\r\n\(body)")
        } else {
            server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", body: body))
        }
        #expect(try server.response().summary == "413 line_too_long" && server.response().closes)
        #expect(server.log.last == "leave" && server.actions.last == "[endOutput]")
        server.send("more")
        #expect(server.responses.count == 1)
    }

    @Test("a fault in a chunked body gets 400, and the connection closes")
    func badChunk() throws {
        for chunk in ["x\r\n", "3\r\nonetwo\r\n", "3\none\r\n", "0\r\n bad\r\n"] {
            let server = Self.conversation()
            server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Transfer-Encoding: chunked"]))
            server.send(chunk + "GET /healthz HTTP/1.1\r\n")
            #expect(try server.response().summary == "400 bad_request" && server.response().closes)
            #expect(server.messages == [] && server.log.last == "leave")
        }
    }

    @Test("an incomplete body gets no response, and nothing is pushed")
    func stopped() {
        for piece in ["", "on"] {
            let server = Self.conversation()
            server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: 3"]))
            server.send(piece)
            server.endInput()
            #expect(server.responses == [] && server.messages == [])
            #expect(server.actions.suffix(2) == ["[leave]", "[close]"] && server.world.state.member == nil)
        }
    }

    @Test("a client that stops sending after its body gets its response")
    func stoppedAfterBody() throws {
        let server = Self.conversation([])
        server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", body: "one"))
        server.room(Self.ack, to: 0)
        #expect(try server.response().status == "204 No Content")
        server.endInput()
        #expect(server.actions.suffix(2) == ["[leave]", "[close]"])
    }

    @Test("a connection that breaks inside a request ends its member")
    func lost() {
        for count in [40, 120] {
            let server = Self.conversation([])
            server.send(
                Array(
                    WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: 99"], body: "")
                        .prefix(count)))
            server.lose()
            #expect(server.world.state.member == nil && !server.actions.contains("[close]"))
        }
    }

    // MARK: Memory

    @Test("the memory of a long body is claimed in steps, and released")
    func memory() throws {
        let server = Self.conversation()
        server.lineBudget = 1 << 20
        let body = String(repeating: "x", count: 200 << 10)
        server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: \(body.utf8.count)"]))
        #expect(server.lineBudget == 1 << 20)
        server.send(String(body.prefix(130 << 10)))
        #expect(server.lineBudget == (1 << 20) - (128 << 10))
        server.send(String(body.dropFirst(130 << 10)))
        #expect(server.lineBudget == 1 << 20)
        #expect(try server.response().status == "204 No Content")
    }

    @Test("memory is released if the body or its connection ends early")
    func memoryAtEnd() {
        for end in [{ $0.endInput() }, { $0.lose() }, { $0.shutDown() }] as [(WebConversation) -> Void] {
            let server = Self.conversation()
            server.lineBudget = 1 << 20
            server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: 999999"]))
            server.send(String(repeating: "x", count: 130 << 10))
            #expect(server.lineBudget < 1 << 20)
            end(server)
            #expect(server.lineBudget == 1 << 20)
        }
    }

    @Test("a body for which no memory is left gets 503, and the connection closes", arguments: [true, false])
    func noMemory(opens: Bool) throws {
        let server = Self.conversation(opens ? [Self.opened] : [])
        server.lineBudget = 100 << 10
        server.send(
            WebConversation.bytes(
                of: opens ? "POST /append/a" : "PUT /docs/a?base=k/1", ["Content-Length: 999999"]))
        server.send(String(repeating: "x", count: 130 << 10))
        let response = try server.response()
        #expect(response.summary == "503 overloaded" && response.closes && response["Retry-After"] == "1")
        #expect(server.lineBudget == 100 << 10 && server.log.last == "leave")
    }

    @Test("a body that arrives whole claims no memory")
    func wholeBody() throws {
        let server = Self.conversation()
        server.lineBudget = 0
        let body = String(repeating: "x", count: 200 << 10)
        #expect(try server.request("PUT /docs/a?base=k/1", body: body).status == "204 No Content")
        #expect(!server.actions.contains("[claimLine]") && server.lineBudget == 0)
    }
}
