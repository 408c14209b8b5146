import Testing

@Suite("Parameters of a request") struct QueryTests {
    @Test(
        "a parameter that the resource does not have is refused",
        arguments: [
            "GET /docs?rev=1", "GET /docs?Prefix=a", "GET /docs/a?base=k/1", "GET /docs/a?limit=1",
            "PUT /docs/a?create=1", "POST /docs/a?create=1", "DELETE /docs/a?base=k/1", "POST /append/a?to=b",
            "POST /rename/a?from=b&to=c", "POST /copy/a?from=b&to=c", "POST /restore/a?to=k/1&base=k/1",
            "GET /history/a?rev=1", "GET /blame/a?at=1",
            "GET /docs/a?",
        ])
    func unknown(line: String) throws {
        let server = WebConversation()
        if line.hasSuffix("?") {
            server.send(WebConversation.bytes(of: line))
            #expect(server.responses == [] && server.messages.count == 1)
        } else {
            let response = try server.request(line)
            #expect(response.summary == "400 bad_request" && response.body.contains("has no parameter"))
            #expect(server.log == [])
        }
    }

    @Test(
        "a value that a parameter cannot have is refused",
        arguments: [
            "GET /docs/a?rev=", "GET /docs/a?rev=-1", "GET /docs/a?rev=1.0", "GET /docs/a?rev=+1",
            "GET /docs/a?rev=1234567890123456", "GET /docs/a?rev=%D9%A1", "GET /docs/a?rev=1&at=2",
            "GET /docs/a?newline=crlf", "GET /docs/a?newline=", "GET /docs/a?unit=utf-7", "GET /docs/a?unit=",
            "GET /docs?limit=ten", "GET /history/a?edits=yes", "GET /history/a?after=1&at=2",
            "GET /blame/a?rev=x", "GET /blame/a?after=-1", "GET /blame/a?limit=",
            "POST /rename/a", "POST /copy/a", "POST /restore/a", "POST /restore/a?to=7",
            "POST /restore/a?to=k/",
            "POST /append/a?create=true", "PUT /docs/a?base=k2v9.1", "PUT /docs/a?base=k2v9.1/7/json",
            "PUT /docs/a?base=/7", "PUT /docs/a?base=%22k/7%22",
        ])
    func badValues(line: String) throws {
        let server = WebConversation()
        #expect(try server.request(line).summary == "400 bad_request")
        #expect(server.log == [])
    }

    @Test("a number that is too large for the server is refused by the server")
    func limits() throws {
        for limit in ["0", "1001"] {
            let response = try WebConversation().request("GET /docs?limit=\(limit)")
            #expect(response.summary == "400 bad_message" && response.body.contains("limit"))
        }
    }

    @Test(
        "every resource of documents has the parameter `unit` for offsets",
        arguments: [
            "GET /docs", "GET /docs/a", "PUT /docs/a?base=k/1", "POST /docs/a?base=k/1", "DELETE /docs/a",
            "POST /append/a", "POST /rename/a?to=b", "POST /copy/a?to=b", "POST /restore/a?to=k/1",
            "GET /history/a", "GET /blame/a",
        ])
    func units(line: String) {
        for (unit, expected) in [
            ("", "utf-16"), ("utf-8", "utf-8"), ("utf-16", "utf-16"), ("utf-32", "utf-32"),
        ] {
            let server = WebConversation()
            let sign = line.contains("?") ? "&" : "?"
            server.send(WebConversation.bytes(of: unit.isEmpty ? line : "\(line)\(sign)unit=\(unit)"))
            #expect(server.log.first == "join http-7f21 \(expected)")
        }
    }
}
