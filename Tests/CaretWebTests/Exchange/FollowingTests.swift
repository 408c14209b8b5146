import Testing

@Suite("GET of a whole history, line by line") struct FollowingTests {
    private let server = WebConversation()
    private static let accept: String = "Accept: application/x-ndjson"

    private static func revision(_ number: Int) -> String {
        #"{"rev":\#(number),"user":"ann","client":"p-1","time":5,"inserted":1,"deleted":0}"#
    }

    private static func page(_ numbers: Int..., more: Bool = false) -> String {
        let revisions = numbers.map(revision).joined(separator: ",")
        return
            #"{"type":"revisions","doc":"agenda","revisions":[\#(revisions)]\#(more ? #","more":true"# : "")}"#
    }

    private static func chunk(_ numbers: Int...) -> String {
        let lines = numbers.map { revision($0) + "\n" }.joined()
        return "\(String(lines.utf8.count, radix: 16))\r\n\(lines)\r\n"
    }

    /// Sends the request, and returns all bytes of the response.
    private func get(
        _ answers: [String], at target: String = "/history/agenda", method: String = "GET"
    ) -> String {
        server.forget()
        server.answers = answers
        server.send(WebConversation.bytes(of: "\(method) \(target)", [Self.accept]))
        return server.bytes
    }

    @Test("the history is sent page by page, in chunks; the connection stays open")
    func pages() throws {
        let bytes = get([Self.page(1, 2, more: true), Self.page(3)])
        #expect(
            server.messages == [
                #"{"type":"history","doc":"agenda","limit":1000}"#,
                #"{"type":"history","doc":"agenda","after":2,"limit":1000}"#,
            ])
        #expect(bytes.contains("Transfer-Encoding: chunked\r\n") && !bytes.contains("Content-Length"))
        #expect(bytes.contains("Content-Type: application/x-ndjson\r\n"))
        #expect(bytes.hasSuffix("\r\n\r\n" + Self.chunk(1, 2) + Self.chunk(3) + "0\r\n\r\n"))
        #expect(try server.request("GET /healthz").status == "200 OK")
    }

    @Test("an empty history has no lines")
    func empty() {
        #expect(get([Self.page()]).hasSuffix("\r\n\r\n0\r\n\r\n"))
    }

    @Test(
        "the history may begin after a revision or at a time, with edits",
        arguments: [
            ("after=5&edits=1", #""after":5,"limit":1000,"edits":true"#),
            ("at=1790000000000", #""at":1790000000000,"limit":1000"#),
        ])
    func parameters(query: String, fields: String) {
        _ = get([Self.page()], at: "/history/agenda?\(query)")
        #expect(server.messages == [#"{"type":"history","doc":"agenda",\#(fields)}"#])
    }

    @Test("a page is requested only when the client has read the previous one")
    func slowReader() {
        server.world.takesAll = false
        _ = get([Self.page(1, more: true), Self.page(2)])
        #expect(server.messages.count == 1)
        server.deliver(bytes: server.world.waiting - 1)
        #expect(server.messages.count == 1)
        server.deliver(bytes: 1)
        #expect(server.messages.count == 2)
    }

    @Test("a client that reads nothing is disconnected")
    func stalledReader() {
        server.world.takesAll = false
        _ = get([Self.page(1, more: true)])
        server.pass(seconds: 31)
        #expect(server.actions.contains("[close]"))
    }

    @Test("HEAD has the fields of GET, and no body")
    func head() throws {
        let bytes = get([Self.page(1, more: true)], method: "HEAD")
        #expect(bytes.contains("Transfer-Encoding: chunked") && bytes.hasSuffix("\r\n\r\n"))
        #expect(try server.request("GET /healthz").status == "200 OK")
    }

    @Test("a refusal before the first line is a response; later it disconnects")
    func refusals() {
        let refusal = #"{"type":"error","code":"not_found","message":"no"}"#
        #expect(get([refusal]).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(!server.actions.contains("[close]"))
        #expect(!get([Self.page(1, more: true), refusal]).hasSuffix("0\r\n\r\n"))
        #expect(server.actions.contains("[close]"))
    }

    @Test("if the server stops, an unfinished history breaks off")
    func shutDown() {
        server.world.takesAll = false
        _ = get([Self.page(1, more: true)])
        server.shutDown()
        #expect(server.actions.contains("[close]"))
    }

    @Test("a request for lines may not have a limit, and needs HTTP/1.1")
    func bad() throws {
        #expect(try server.request("GET /history/agenda?limit=5", [Self.accept]).summary == "400 bad_request")
        server.forget()
        server.send("GET /history/agenda HTTP/1.0\r\nHost: localhost\r\n\(Self.accept)\r\n\r\n")
        #expect(try server.response().summary == "406 bad_type")
    }

    @Test("a history has no other forms")
    func types() throws {
        let response = try server.request("GET /history/agenda", ["Accept: text/plain"])
        #expect(response.summary == "406 bad_type")
    }
}
