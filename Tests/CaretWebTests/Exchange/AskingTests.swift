import Testing

@Suite("HTTP requests that the server answers with one message") struct AskingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        let message: String
        let answer: String
        /// The fields of the response, except `Content-Type` and `Cache-Control`.
        var fields: [String] = []

        var testDescription: String { line }
    }

    private static let listed: String =
        #"{"type":"listed","docs":[{"doc":"a","epoch":"k.1","rev":1,"length":1,"updated":5}],"more":true}"#
    private static let revisions: String = #"{"type":"revisions","doc":"agenda","revisions":[]}"#
    private static let blamed: String =
        #"{"type":"blamed","doc":"agenda","epoch":"k.1","rev":9,"ranges":[{"line":1,"lines":2,"rev":7}]}"#
    private static let notes: String =
        #"{"type":"notes","doc":"agenda","epoch":"k.1","rev":9,"count":1,"rights":"write","notes":[]}"#
    private static let done: String = #"{"type":"done"}"#
    private static let ack: String = #"{"type":"ack","doc":"agenda","seq":1,"rev":9}"#

    static let requests: [Case] = [
        Case(line: "GET /docs", message: #"{"type":"list"}"#, answer: listed),
        Case(
            line: "GET /docs?prefix=notes%2F&after=a+b&limit=2",
            message: #"{"type":"list","prefix":"notes/","after":"a b","limit":2}"#, answer: listed),
        Case(
            line: "POST /rename/agenda?to=notes/j%C3%A4nner+1",
            message:
                #"{"type":"rename","doc":"agenda","to":"notes/jänner 1"}"#, answer: done,
            fields: ["Location: /docs/notes/j%C3%A4nner%201"]),
        Case(
            line: "POST /copy/agenda?to=notes/j%C3%A4nner+1",
            message: #"{"type":"copy","doc":"agenda","to":"notes/jänner 1"}"#, answer: done,
            fields: ["Location: /docs/notes/j%C3%A4nner%201"]),
        Case(
            line: "POST /restore/agenda?to=k2v9.1/7",
            message: #"{"type":"restore","doc":"agenda","epoch":"k2v9.1","rev":7,"seq":1}"#, answer: ack,
            fields: [#"ETag: "k2v9.1/9""#, "Caret-Epoch: k2v9.1", "Caret-Revision: 9"]),
        Case(
            line: "GET /history/agenda", message: #"{"type":"history","doc":"agenda"}"#, answer: revisions),
        Case(
            line: "GET /history/agenda?after=3&limit=5&edits=1",
            message: #"{"type":"history","doc":"agenda","after":3,"limit":5,"edits":true}"#,
            answer: revisions),
        Case(
            line: "GET /history/agenda?at=1790000000000&edits=0",
            message: #"{"type":"history","doc":"agenda","at":1790000000000}"#, answer: revisions),
        Case(
            line: "GET /blame/agenda", message: #"{"type":"blame","doc":"agenda","after":0}"#, answer: blamed),
        Case(
            line: "GET /blame/agenda?rev=9&after=3&limit=5",
            message: #"{"type":"blame","doc":"agenda","rev":9,"after":3,"limit":5}"#, answer: blamed),
        Case(
            line: "GET /notes/agenda", message: #"{"type":"list_notes","doc":"agenda","since":0,"after":0}"#,
            answer: notes),
        Case(
            line: "GET /notes/agenda?since=4&after=3&limit=5",
            message: #"{"type":"list_notes","doc":"agenda","since":4,"after":3,"limit":5}"#, answer: notes),
    ]

    @Test("the server's message is the body of the response", arguments: requests)
    func answers(example: Case) throws {
        let server = WebConversation()
        server.answers = [example.answer]
        let response = try server.request(example.line)
        #expect(server.messages == [example.message])
        #expect(response.status == "200 OK" && response.body == example.answer + "\n")
        #expect(
            response.fields == ["Content-Type: application/json"] + example.fields + [
                "Cache-Control: no-store"
            ])
    }

    @Test("HEAD of a list has the fields of GET, and no body", arguments: ["/docs", "/history/agenda"])
    func head(target: String) throws {
        let server = WebConversation()
        server.answers = Array(repeating: target == "/docs" ? Self.listed : Self.revisions, count: 2)
        let get = try server.request("GET \(target)")
        let head = try server.request("HEAD \(target)")
        #expect(head.fields == get.fields && head.body == "" && head.status == get.status)
    }

    @Test("a deletion gets 204; with If-Match or If-None-Match it gets 400")
    func delete() throws {
        let server = WebConversation()
        server.answers = [Self.done]
        let response = try server.request("DELETE /docs/agenda")
        #expect(server.messages == [#"{"type":"delete","doc":"agenda"}"#])
        #expect(response.status == "204 No Content" && response.body == "" && !response.closes)
        for field in [#"If-Match: "k2v9.1/7""#, "If-None-Match: *"] {
            #expect(try server.request("DELETE /docs/agenda", [field]).summary == "400 bad_request")
        }
        #expect(server.messages.count == 1)
    }

    @Test("messages that are not the answer are ignored")
    func others() throws {
        let server = WebConversation()
        server.send(WebConversation.bytes(of: "GET /docs"))
        server.room(#"{"type":"document","doc":"a","epoch":"k.1","rev":1,"length":1,"updated":5}"#, to: 5)
        #expect(server.responses == [])
        server.hub(#"{"type":"listed","docs":[]}"#)
        #expect(try server.response().body == #"{"type":"listed","docs":[]}"# + "\n")
    }

    @Test(
        "an error of the server gets its HTTP status",
        arguments: [
            ("POST /rename/a?to=b", "exists", "409"), ("POST /copy/a?to=b", "exists", "409"),
            ("POST /copy/a?to=b", "too_large", "413"), ("DELETE /docs/a", "forbidden", "403"),
            ("POST /restore/a?to=k/1", "base_trimmed", "409"), ("GET /docs", "bad_message", "400"),
            ("GET /history/a", "not_found", "404"), ("GET /blame/a", "not_found", "404"),
            ("GET /blame/a", "base_trimmed", "410"), ("GET /blame/a", "too_large", "413"),
            ("POST /restore/a?to=k/1", "storage_full", "507"),
        ])
    func errors(line: String, code: String, status: String) throws {
        let server = WebConversation()
        server.answers = [#"{"type":"error","code":"\#(code)","message":"x"}"#]
        let response = try server.request(line)
        #expect(response.summary == "\(status) \(code)" && response["Location"] == nil)
    }
}
