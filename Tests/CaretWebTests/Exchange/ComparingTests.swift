import CaretWire
import TestSupport
import Testing

@Suite("GET of a difference between two revisions") struct ComparingTests {
    private let server = WebConversation()

    private static func text(_ revision: Int, _ text: String, epoch: String = "k2v9.1") -> String {
        #"{"type":"text","doc":"agenda","epoch":"\#(epoch)","rev":\#(revision),"text":"\#(text)","newline":"lf"}"#
    }

    private static let texts: [String] = [text(3, #"one\ntwo\n"#), text(7, #"one\n2\n"#)]

    private func get(
        _ query: String, _ fields: String..., method: String = "GET", answers: [String] = texts
    ) throws -> WebResponse {
        server.answers = answers
        return try server.request("\(method) /diff/agenda\(query)", fields)
    }

    @Test("a difference is a patch from the old text to the new one")
    func patch() throws {
        let response = try get("?from=3&to=7")
        #expect(
            server.messages == [
                #"{"type":"read","doc":"agenda","rev":3}"#, #"{"type":"read","doc":"agenda","rev":7}"#,
            ])
        #expect(response.body == "--- agenda@3\n+++ agenda@7\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")
        #expect(
            response.fields == [
                "Content-Type: text/x-diff; charset=utf-8", #"ETag: "k2v9.1/7""#, "Caret-Epoch: k2v9.1",
                "Caret-Revision: 7", "Vary: Accept", "Cache-Control: no-cache",
                "Content-Security-Policy: sandbox; default-src 'none'",
            ])
    }

    @Test("a client that has the difference gets 304, and nothing is compared")
    func known() throws {
        server.world.holdsComputations = true
        let known = try get("?from=3&to=7", #"If-None-Match: "k2v9.1/7""#)
        #expect(known.status == "304 Not Modified" && known["ETag"] == #""k2v9.1/7""# && known.body == "")
        let json = try get("?from=3", #"If-None-Match: "k2v9.1/7/json""#, "Accept: application/json")
        #expect(json.status == "304 Not Modified" && json["ETag"] == #""k2v9.1/7/json""#)
        // The tag of another form is the tag of another content.
        server.answers = Self.texts
        server.forget()
        server.send(
            WebConversation.bytes(of: "GET /diff/agenda?from=3", [#"If-None-Match: "k2v9.1/7/json""#]))
        #expect(server.responses.isEmpty)
    }

    @Test("without `to`, the head is the new text")
    func head() throws {
        _ = try get("?from=3")
        #expect(server.messages.last == #"{"type":"read","doc":"agenda"}"#)
    }

    @Test("equal texts have an empty difference")
    func equal() throws {
        let response = try get("?from=3&to=3", answers: [Self.texts[0], Self.texts[0]])
        #expect(response.status == "200 OK" && response.body == "")
    }

    @Test(
        "as JSON, a difference has edits with offsets in the requested unit",
        arguments: [("", "[3,6]"), ("&unit=utf-8", "[5,8]"), ("&unit=utf-32", "[2,5]")])
    func json(unit: String, range: String) throws {
        let response = try get(
            "?from=3\(unit)", "Accept: application/json",
            answers: [Self.text(3, "😀 two"), Self.text(7, "😀 2")])
        #expect(response["Content-Type"] == "application/json")
        #expect(
            response.body
                == #"{"doc":"agenda","epoch":"k2v9.1","from":3,"to":7,"edits":[{"range":\#(range),"text":"2"}]}"#
                + "\n")
    }

    @Test("HEAD has the fields of GET, and no body")
    func methodHEAD() throws {
        let response = try get("?from=3&to=7", method: "HEAD")
        #expect(try response.fields == get("?from=3&to=7").fields && response.body == "")
    }

    @Test(
        "a request without valid revisions is refused",
        arguments: ["", "?to=3", "?from=x", "?from=3&to=-1", "?from=3&rev=4", "?from=k2v9.1/3"])
    func badQueries(query: String) throws {
        #expect(try get(query).summary == "400 bad_request")
        #expect(server.messages == [])
    }

    @Test("a difference has no other forms")
    func types() throws {
        #expect(try get("?from=3", "Accept: text/html").summary == "406 bad_type")
        #expect(try get("?from=3", "Accept: text/plain").summary == "406 bad_type")
    }

    @Test("if another document takes the name meanwhile, the request is refused")
    func otherEpoch() throws {
        let answers = [Self.texts[0], Self.text(7, "x", epoch: "q.1")]
        #expect(try get("?from=3", answers: answers).summary == "409 epoch_changed")
    }

    @Test("a trimmed revision is gone")
    func trimmed() throws {
        let refusal = #"{"type":"error","code":"base_trimmed","message":"no"}"#
        #expect(try get("?from=3", answers: [refusal]).summary == "410 base_trimmed")
        #expect(try get("?from=3", answers: [Self.texts[0], refusal]).summary == "410 base_trimmed")
    }

    @Test("the texts are compared in the background, and the next request waits")
    func waiting() throws {
        server.world.holdsComputations = true
        server.answers = Self.texts
        server.send(WebConversation.bytes(of: "GET /diff/agenda?from=3"))
        server.send(WebConversation.bytes(of: "GET /healthz"))
        #expect(server.responses.isEmpty)
        let response = server.world.compute(number: 1)
        #expect(response.contains { $0.hasSuffix("\n-two\n+2\n") })
    }

    @Test("a difference of more than 64 KiB is refused while the server's memory for output is used up")
    func noMemory() throws {
        for (isUsedUp, extra, isRefused) in [(true, 0, false), (true, 1, true), (false, 1, false)] {
            server.world.isOutputUsedUp.change { $0 = isUsedUp }
            func get(_ length: Int) throws -> WebResponse {
                try self.get(
                    "?from=3",
                    answers: [Self.text(3, ""), Self.text(7, String(repeating: "x", count: length) + #"\n"#)])
            }
            let others = try get(1).body.utf8.count - 1
            let response = try get(Limits.freeOutput - others + extra)
            #expect(response.summary == "503 overloaded" || !isRefused)
            #expect((response.body.utf8.count == Limits.freeOutput + extra) != isRefused)
        }
    }

    @Test("a difference that is computed after its request has ended is dropped")
    func late() throws {
        server.world.holdsComputations = true
        server.answers = Self.texts + Self.texts
        server.send(WebConversation.bytes(of: "GET /diff/agenda?from=3"))
        server.shutDown()
        #expect(try server.response().summary == "503 shutting_down")
        #expect(server.world.compute(number: 1) == [])
    }
}
