import CaretWeb
import Testing

@Suite("HTTP requests on a connection") struct WebRequestTests {
    private let world = WebWorld()

    private func request(_ line: String, _ fields: String...) -> String {
        (["\(line) HTTP/1.1", "Host: localhost"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test("a response has a status, a date and fields; the connection stays open")
    func wholeResponse() {
        let response = world.receive(request("GET /healthz"))
        #expect(
            response == [
                "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                    + "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: 3\r\n"
                    + "X-Content-Type-Options: nosniff\r\n\r\nok\n",
                "[pauseReading]", "[resumeReading]",
            ])
        #expect(world.receive(request("GET /healthz")).first == response.first)
    }

    @Test("HEAD has the fields of GET, and no body")
    func head() throws {
        let get = try #require(world.receive(request("GET /healthz")).first)
        let head = try #require(world.receive(request("HEAD /healthz")).first)
        #expect(head + "ok\n" == get)
    }

    @Test(
        "a refused request gets an error with its status and code",
        arguments: [
            ("GET /nothing", "404 Not Found", "not_found"),
            ("POST /healthz", "405 Method Not Allowed", "bad_method"),
            ("GET /ws", "426 Upgrade Required", "upgrade_required"),
            ("GET /%zz", "400 Bad Request", "bad_request"),
        ])
    func refusal(line: String, status: String, code: String) throws {
        let response = try #require(world.receive(request(line)).first)
        #expect(response.hasPrefix("HTTP/1.1 \(status)\r\n"))
        #expect(response.contains(#"{"type":"error","code":"\#(code)","message":""#))
        #expect(world.state.member == nil)
    }

    @Test("OPTIONS and 405 responses list the allowed methods of a resource")
    func allow() throws {
        let options = try #require(world.receive(request("OPTIONS /healthz")).first)
        #expect(options.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(options.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n") && !options.contains("Content-Length"))
        let post = try #require(world.receive(request("DELETE /ws")).first)
        #expect(post.contains("\r\nAllow: GET, OPTIONS\r\n"))
    }

    @Test("an unknown path allows only OPTIONS")
    func allowNothing() throws {
        let options = try #require(world.receive(request("OPTIONS /nothing")).first)
        #expect(
            options.hasPrefix("HTTP/1.1 204 No Content\r\n") && options.contains("\r\nAllow: OPTIONS\r\n"))
    }

    @Test(
        "a Host that is no host gets 400, and the connection closes",
        arguments: ["[::1", "localhost:0", "local host", "é.example", "a@localhost", "localhost/x"])
    func badHost(host: String) {
        for listener in [SiteGuard.Listener.tcp, .adminSocket] {
            let world = WebWorld(at: listener)
            let response = world.receive("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(response[0].hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(response[0].contains("\r\nConnection: close\r\n") && response[1] == "[endOutput]")
        }
    }

    @Test("bytes that are not HTTP get 400, and the connection closes")
    func fault() throws {
        let response = world.receive("GET  / HTTP/1.1\r\n")
        #expect(response[0].hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(response[0].contains("\r\nConnection: close\r\n"))
        #expect(response.dropFirst() == ["[endOutput]"])
        #expect(world.receive(request("GET /healthz")) == [])
        #expect(world.inputEnded() == ["[close]"])
    }

    @Test("a request with a body is answered at once, and the connection closes")
    func body() {
        for body in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
            let world = WebWorld()
            let response = world.receive(request("POST /healthz", body))
            #expect(response[0].contains("\r\nConnection: close\r\n") && response[1] == "[endOutput]")
        }
        #expect(!world.receive(request("GET /healthz", "Content-Length: 0"))[0].contains("Connection"))
    }

    @Test("after `Connection: close`, the client gets the response and the end")
    func close() {
        let response = world.receive(request("GET /healthz", "Connection: close"))
        #expect(response[0].hasSuffix("\r\n\r\nok\n") && response[1] == "[endOutput]")
    }

    @Test("of all expectations, only `Expect: 100-continue` is accepted")
    func expectation() {
        #expect(world.receive(request("GET /healthz", "Expect: 100-Continue"))[0].hasPrefix("HTTP/1.1 200"))
        #expect(world.receive(request("GET /healthz", "Expect: 200-ok"))[0].hasPrefix("HTTP/1.1 417"))
    }

    @Test("the next request is read after the previous response is delivered")
    func pipelined() {
        world.takesAll = false
        let two = request("GET /healthz") + request("GET /nothing")
        let first = world.receive(two)
        #expect(first.count == 2 && first[0].hasPrefix("HTTP/1.1 200") && first[1] == "[pauseReading]")
        #expect(world.unread == Array(request("GET /nothing").utf8))
        #expect(world.written(world.waiting - 1) == [])
        #expect(world.written(1) == ["[resumeReading]"])
        #expect(world.receive("")[0].hasPrefix("HTTP/1.1 404") && world.unread.isEmpty)
    }

    @Test(
        "a request line that is too long is refused, and the rest is dropped",
        arguments: ["/", "/ HTTP/1.1\r\nA: "])
    func tooLong(start: String) {
        let response = world.receive("GET \(start)\(String(repeating: "a", count: 64 << 10))")
        #expect(response[0].hasPrefix("HTTP/1.1 4") && response[1] == "[endOutput]" && world.unread.isEmpty)
        #expect(world.inputEnded() == ["[close]"])
    }

    // MARK: Time

    @Test("a request's head must be complete 10 seconds after its first byte")
    func slowHead() {
        world.pass(seconds: 50)
        world.receive("GET ")
        #expect(world.pass(seconds: 9.999) == [])
        let response = world.pass(seconds: 0.001)
        #expect(response[0].hasPrefix("HTTP/1.1 408 Request Timeout\r\n") && response[1] == "[endOutput]")
    }

    @Test("a connection without a new request closes after 60 seconds")
    func idle() {
        world.receive(request("GET /healthz"))
        #expect(world.pass(seconds: 59.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }

    @Test("a client that does not read its response is disconnected after 30 s")
    func slowReader() {
        world.takesAll = false
        world.receive(request("GET /healthz"))
        #expect(world.pass(seconds: 20) == [])
        world.written(1)
        #expect(world.pass(seconds: 29.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }

    @Test("after its last response, a connection drops input for one second")
    func closing() {
        world.receive("bad\r\n")
        #expect(world.receive(String(repeating: "x", count: 1_000)) == [])
        #expect(world.pass(seconds: 0.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }

    @Test("after its last response, a connection drops at most 1 MiB of input")
    func closingBytes() {
        world.receive("BAD\r\n")
        #expect(world.receive([UInt8](repeating: 0, count: 1 << 20)) == [])
        #expect(world.receive([0]) == ["[close]"])
    }

    // MARK: The end

    @Test("a client that stops sending still gets its response")
    func inputEnded() {
        world.takesAll = false
        world.receive(request("GET /healthz"))
        #expect(world.inputEnded() == [])
        #expect(world.written(world.waiting) == ["[close]"])
        #expect(WebWorld().inputEnded() == ["[close]"])
    }

    @Test("at shutdown a begun request gets 503, and an idle connection closes")
    func shutDown() {
        #expect(WebWorld().shutDown() == ["[close]"])
        world.receive("GET /healthz HTTP/1.1\r\n")
        #expect(world.shutDown() == [])
        let webSocket = WebWorld()
        webSocket.receive(String(WebWorld.upgrade.dropLast()))
        #expect(webSocket.shutDown() == [])
        #expect(webSocket.receive("\r\n")[0].hasPrefix("HTTP/1.1 503 ") && webSocket.state.member == nil)
        let response = world.receive("Host: localhost\r\n\r\n")
        #expect(
            response[0].hasPrefix("HTTP/1.1 503 Service Unavailable\r\n")
                && response[0].hasSuffix("stopping\n"))
        #expect(response[1] == "[endOutput]")
    }
}
