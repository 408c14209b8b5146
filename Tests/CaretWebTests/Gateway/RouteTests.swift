import Testing

@Suite("Paths and methods") struct RouteTests {
    private static let allMethods = [
        "GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
    ]

    @Test(
        "each path has its methods; every other method gets 405 with the list",
        arguments: [
            ("/healthz", "GET, HEAD, OPTIONS"), ("/docs", "GET, HEAD, OPTIONS"),
            ("/docs/a", "GET, HEAD, PUT, POST, DELETE, OPTIONS"),
            ("/docs/a/b", "GET, HEAD, PUT, POST, DELETE, OPTIONS"),
            ("/append/a", "POST, OPTIONS"), ("/rename/a", "POST, OPTIONS"), ("/copy/a", "POST, OPTIONS"),
            ("/restore/a", "POST, OPTIONS"),
            ("/history/a", "GET, HEAD, OPTIONS"), ("/blame/a", "GET, HEAD, OPTIONS"),
            ("/diff/a", "GET, HEAD, OPTIONS"), ("/ws", "GET, OPTIONS"),
        ])
    func methods(path: String, allowed: String) throws {
        for method in Self.allMethods {
            let server = WebConversation()
            server.send(WebConversation.bytes(of: "\(method) \(path)"))
            let response = server.responses.first
            if method == "OPTIONS" {
                #expect(response?.status == "204 No Content" && response?.fields == ["Allow: \(allowed)"])
            } else if allowed.split(separator: ", ").contains(Substring(method)) {
                #expect(
                    response?.status.prefix(3) != "405" && response?.status.prefix(3) != "404", "\(method)")
            } else {
                #expect(response?.summary == (method == "HEAD" ? "405" : "405 bad_method"), "\(method)")
                #expect(response?["Allow"] == allowed, "\(method)")
                #expect(server.log == [] && response?.closes == false)
            }
        }
    }

    @Test("OPTIONS * lists the methods that every resource has")
    func server() throws {
        let response = try WebConversation().request("OPTIONS *")
        #expect(response.status == "204 No Content" && response.fields == ["Allow: OPTIONS"])
    }

    @Test(
        "there is nothing at another path",
        arguments: [
            "/doc", "/docs2", "/Docs", "/append", "/rename", "/copy", "/restore", "/history", "/blame",
            "/diff",
            "/healthz/",
            "/ws/",
            "//docs",
            "/x/docs/a", "/documents/a", "/%2Fdocs/a", "/d", "/.", "/docs%00",
        ])
    func nothing(path: String) throws {
        for method in ["GET", "PUT", "DELETE"] {
            let server = WebConversation()
            #expect(try server.request("\(method) \(path)").summary == "404 not_found" && server.log == [])
        }
        let head = try WebConversation().request("HEAD \(path)")
        #expect(head.body == "")
    }

    @Test("a browser gets a page that says so, and a program an error")
    func nothingForPeople() throws {
        let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
        let page = try WebConversation().request("GET /nonsense", [browser])
        #expect(
            page.status == "404 Not Found" && page.fields.contains("Content-Type: text/html; charset=utf-8"))
        #expect(
            page.body.contains("There is nothing at this address")
                && page.fields.contains("Cache-Control: no-store"))
        #expect(try WebConversation().request("HEAD /nonsense", [browser]).status == "404 Not Found")
        for (line, field) in [
            ("GET /nonsense", "Accept: */*"), ("GET /nonsense", "Accept: application/json, text/html;q=0"),
            ("PUT /nonsense", browser),
        ] {
            #expect(try !WebConversation().request(line, [field]).body.contains("<html"), "\(line)")
        }
    }

    @Test("a refusal repeats at most 100 letters of a path")
    func longPath() throws {
        let path = "/" + String(repeating: "a", count: 8_000)
        for line in ["GET \(path)", "PATCH /docs\(path)"] {
            #expect(try WebConversation().request(line).body.utf8.count < 300)
        }
    }
}
