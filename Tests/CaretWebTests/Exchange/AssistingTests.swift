import CaretRooms
import CaretWire
import Foundation
import TestSupport
import Testing

@Suite("POST of a message of the Model Context Protocol") struct AssistingTests {
    private let server = WebConversation()

    private static let closed = #"{"type":"closed","doc":"plan"}"#

    private static func opened(_ text: String, rev: Int = 7) -> String {
        #"{"type":"opened","doc":"plan","epoch":"k2v9.1","rev":\#(rev),"text":"\#(text)","#
            + #""rights":"write","newline":"lf","peers":[]}"#
    }

    private static func text(_ text: String, rev: Int = 7) -> String {
        #"{"type":"text","doc":"plan","epoch":"k2v9.1","rev":\#(rev),"text":"\#(text)","newline":"lf"}"#
    }

    private static let change =
        #"{"type":"change","doc":"plan","rev":8,"user":"ann","client":"c","time":1,"edits":[{"range":[0,1],"text":"b"}]}"#

    private static func ack(_ rev: Int, _ others: String = "") -> String {
        #"{"type":"ack","doc":"plan","seq":1,"rev":\#(rev)\#(others)}"#
    }

    private static func error(_ code: String) -> String {
        #"{"type":"error","doc":"plan","code":"\#(code)","message":"no"}"#
    }

    private static func call(_ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    private func post(_ body: String, _ fields: String..., answers: [String] = []) throws -> WebResponse {
        server.answers = answers
        return try server.request("POST /mcp", ["Content-Type: application/json"] + fields, body: body)
    }

    /// Calls a tool, and returns its texts. The first one begins with `failed: ` if the call failed.
    private func texts(_ tool: String, _ arguments: String, _ answers: String...) throws -> [String] {
        try texts(of: post(Self.call(tool, arguments), answers: answers))
    }

    private func texts(of response: WebResponse) throws -> [String] {
        #expect(response.status == "200 OK" && response["Cache-Control"] == "no-store")
        let answer = try #require(
            JSONSerialization.jsonObject(with: Data(response.body.utf8)) as? [String: Any])
        #expect(ProtocolShape.answer(to: "tools/call").problem(in: answer) == nil)
        let result = try #require(answer["result"] as? [String: Any])
        let content = try #require(result["content"] as? [[String: String]])
        let texts = content.compactMap { $0["text"] }
        return result["isError"] as? Bool == true ? ["failed: \(texts[0])"] + texts.dropFirst() : texts
    }

    // MARK: Messages

    @Test("versions before 2026-07-28 need no session: each request is answered for itself")
    func older() throws {
        let hello =
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
        let welcome = try post(hello)
        #expect(welcome.status == "200 OK" && welcome["Content-Type"] == "application/json")
        #expect(welcome.body.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","#))
        #expect(welcome.body.contains(#""version":"1.2.3""#) && welcome["Mcp-Session-Id"] == nil)
        let list = try post(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, "MCP-Protocol-Version: 2025-11-25",
            "Accept: application/json, text/event-stream")
        #expect(list.body.contains(#""name":"read_document""#))
        #expect(server.messages == [])
    }

    @Test("a notification is accepted, and gets no message")
    func notification() throws {
        let response = try post(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(response.status == "202 Accepted" && response.body == "")
    }

    @Test(
        "a message that is no request has the error of the protocol",
        arguments: [
            ("", "400", -32700), ("[]", "400", -32700), (#"{"id":1}"#, "200", -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"dance"}"#, "200", -32601),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fly","arguments":{}}}"#,
                "200",
                -32602
            ),
        ])
    func faults(body: String, status: String, code: Int) throws {
        let response = try post(body)
        #expect(response.status.hasPrefix(status) && response.body.contains(#""error":{"code":\#(code),"#))
    }

    @Test("in version 2026-07-28, the status says what is wrong with a message")
    func statuses() throws {
        func post(_ method: String, _ parameters: String) throws -> WebResponse {
            try self.post(
                #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(parameters)}}"#,
                "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: \(method)", "Mcp-Name: fly")
        }
        #expect(try post("dance", Self.meta).status == "404 Not Found")
        #expect(
            try post("tools/call", #""name":"fly","arguments":{},\#(Self.meta)"#).status == "400 Bad Request")
        // Messages of a later version may have any form.
        let later = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}"#
        let response = try self.post(
            #"{"jsonrpc":"2.0","id":1,"method":"dance","params":{\#(later)}}"#,
            "MCP-Protocol-Version: 2031-01-01", "Mcp-Method: dance")
        #expect(response.body.contains(#""error":{"code":-32022,"#))
    }

    @Test(
        "a name that comes in Base64 is decoded",
        arguments: [
            ("=?base64?bGlzdF9kb2N1bWVudHM=?=", true), ("=?base64?bGlzdF9kb2N1bWVudHN4?=", false),
            ("=?base64?bGlzdF9kb2N1bWVudHM?=", false), ("=?base64?====?=", false), ("=?base64??=", false),
        ])
    func names(field: String, isRight: Bool) throws {
        let response = try post(
            #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list_documents","arguments":{},\#(Self.meta)}}"#,
            "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: \(field)",
            answers: [#"{"type":"listed","docs":[]}"#])
        #expect((response.status == "200 OK") == isRight)
    }

    @Test("the body may be as long as a line")
    func limits() throws {
        for (extra, status) in [(0, "200"), (1, "413")] {
            let server = WebConversation(WebWorld { $0.announced.line = 5_000 })
            let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
            let blanks = String(repeating: " ", count: 5_000 + extra - ping.utf8.count)
            #expect(try server.request("POST /mcp", body: ping + blanks).status.hasPrefix(status))
        }
        let large = try post(String(repeating: " ", count: 30 << 20))
        #expect(large.summary == "413 too_large" && large.closes)
    }

    @Test(
        "only a POST of JSON, without parameters, is answered",
        arguments: [
            ("POST /mcp", "Content-Type: text/plain", "415 bad_type"),
            ("POST /mcp", "Accept: text/html", "406 bad_type"), ("GET /mcp", "Accept: */*", "405 bad_method"),
            ("POST /mcp?x=1", "Accept: */*", "400 bad_request"),
        ])
    func forms(line: String, field: String, summary: String) throws {
        #expect(try server.request(line, [field], body: "{}").summary == summary)
    }

    private static let meta =
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
        + #""io.modelcontextprotocol/clientCapabilities":{}}"#

    @Test(
        "in version 2026-07-28, three fields repeat what the message says",
        arguments: [
            (["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: list_documents"], ""),
            (["Mcp-Method: tools/call", "Mcp-Name: list_documents"], "MCP-Protocol-Version"),
            (
                ["MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/call", "Mcp-Name: list_documents"],
                "MCP-Protocol-Version"
            ),
            (["MCP-Protocol-Version: 2026-07-28", "Mcp-Name: list_documents"], "Mcp-Method"),
            (
                ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list", "Mcp-Name: list_documents"],
                "Mcp-Method"
            ),
            (["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call"], "Mcp-Name"),
            (
                [
                    "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: list_documents",
                    "Mcp-Name: edit_document",
                ], "Mcp-Name"
            ),
        ])
    func repeatedFields(fields: [String], wrong: String) throws {
        server.answers = [#"{"type":"listed","docs":[]}"#]
        let body =
            #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list_documents","arguments":{},\#(Self.meta)}}"#
        let response = try server.request("POST /mcp", fields, body: body)
        if wrong.isEmpty {
            #expect(response.status == "200 OK")
            #expect(response.body.hasSuffix(#""isError":false,"resultType":"complete"}}"#))
        } else {
            #expect(response.status == "400 Bad Request")
            let refusal = #""id":5,"error":{"code":-32020,"message":"the field \#(wrong) must name "#
            #expect(response.body.contains(refusal), "\(response.body)")
            #expect(server.messages == [])
        }
    }

    @Test("a version in the field alone does not make a request one of this version")
    func versionOnlyInField() throws {
        let response = try post(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, "MCP-Protocol-Version: 2026-07-28")
        #expect(response.status == "400 Bad Request" && response.body.contains("-32020"))
    }

    @Test("a request whose token is not known gets 401, before its body is read")
    func unknownToken() throws {
        server.tokens = ["t": .unknown]
        let response = try post(Self.call("list_documents", "{}"), "Authorization: Bearer t")
        #expect(response.summary == "401 unauthorized" && response["WWW-Authenticate"] == "Bearer")
        #expect(server.messages == [])
    }

    // MARK: Tools

    @Test("list_documents asks for the documents with a prefix")
    func list() throws {
        let listed =
            #"{"type":"listed","docs":[{"doc":"a/b","epoch":"k2v9.1","rev":3,"length":12,"updated":1}],"more":true}"#
        #expect(
            try texts("list_documents", #"{"prefix":"a/"}"#, listed)
                == ["a/b  revision 3, 12 characters\nthere are more; pass a longer prefix"])
        #expect(server.messages == [#"{"type":"list","prefix":"a/","limit":1000}"#])
    }

    @Test("read_document returns a text, or some of its lines")
    func reading() throws {
        #expect(
            try texts("read_document", #"{"name":"plan"}"#, Self.text(#"a\nb\n"#))
                == ["plan, revision 7:", "a\nb\n"])
        let part = #"{"name":"plan","revision":3,"first_line":2,"lines":1}"#
        #expect(
            try texts("read_document", part, Self.text(#"a\nb\n"#, rev: 3))
                == ["plan, revision 3, lines 2 to 2 of 2:", "b\n"])
        #expect(server.messages.last == #"{"type":"read","doc":"plan","rev":3}"#)
        #expect(
            try texts("read_document", #"{"name":"plan","first_line":9}"#, Self.text("a"))
                == ["failed: first_line is 9, but the text has only 1 line"])
        #expect(
            try texts("read_document", #"{"name":"plan"}"#, Self.error("not_found"))
                == ["failed: no (not_found)\nlist_documents lists the documents that you may read"])
    }

    @Test("document_history asks for the head, and then for the revisions before it")
    func history() throws {
        let listed =
            #"{"type":"listed","docs":[{"doc":"plan","epoch":"k2v9.1","rev":9,"length":1,"updated":1}]}"#
        let page =
            #"{"type":"revisions","doc":"plan","revisions":[{"rev":9,"user":"ann","client":"c","time":0,"inserted":2,"deleted":1}]}"#
        #expect(
            try texts("document_history", #"{"name":"plan","limit":2}"#, listed, page)
                == ["plan, newest first:", "revision 9  1970-01-01 00:00:00 UTC  ann  +2 -1"])
        #expect(server.messages.last == #"{"type":"history","doc":"plan","after":7,"limit":2}"#)
        let other = listed.replacingOccurrences(of: #""doc":"plan""#, with: #""doc":"plans""#)
        #expect(
            try texts("document_history", #"{"name":"plan"}"#, other)[0].hasPrefix(
                "failed: plan: there is no such document"))
    }

    @Test("document_history returns the kept revisions if fewer are kept")
    func trimmedHistory() throws {
        let listed =
            #"{"type":"listed","docs":[{"doc":"plan","epoch":"k2v9.1","rev":9,"length":1,"updated":1}]}"#
        let page =
            #"{"type":"revisions","doc":"plan","revisions":[{"rev":9,"user":"ann","client":"c","time":0,"inserted":2,"deleted":1}]}"#
        let texts = try texts(
            "document_history", #"{"name":"plan","limit":5}"#, listed, Self.error("base_trimmed"), page)
        #expect(texts[0] == "plan, newest first:")
        #expect(server.messages.last == #"{"type":"history","doc":"plan","limit":5}"#)
    }

    @Test("edit_document opens the document, pushes the edit, and closes the document")
    func edit() throws {
        let arguments = #"{"name":"plan","old_text":"two","new_text":"2\r\n"}"#
        #expect(
            try texts(
                "edit_document", arguments, Self.opened("one 🙂two"), Self.ack(8), Self.closed)
                == ["plan: saved as revision 8"])
        #expect(
            server.messages == [
                #"{"type":"open","doc":"plan"}"#,
                #"{"type":"push","doc":"plan","epoch":"k2v9.1","base":7,"seq":1,"edits":[{"range":[6,9],"text":"2\n"}]}"#,
                #"{"type":"close"}"#,
            ])
    }

    @Test("a passage that is missing or not unique changes nothing")
    func wrongPassages() throws {
        for (text, problem) in [("one", "the passage does not occur"), ("two two", "occurs more than once")] {
            server.forget()
            let arguments = #"{"name":"plan","old_text":"two","new_text":"2"}"#
            let result = try texts("edit_document", arguments, Self.opened(text), Self.closed)
            #expect(result[0].hasPrefix("failed: ") && result[0].contains(problem))
            #expect(server.messages.last == #"{"type":"close"}"# && server.messages.count == 2)
        }
    }

    // MARK: Notes

    private static let written = #"{"type":"note_written","doc":"plan","note":3,"version":1}"#

    private static func notes(_ notes: String, _ others: String = "") -> String {
        #"{"type":"notes","doc":"plan","epoch":"k2v9.1","rev":7,"count":3,"rights":"note","notes":[\#(notes)]\#(others)}"#
    }

    private static func note(_ number: Int, _ others: String) -> String {
        #"{"note":\#(number),"version":2,"quote":"two",\#(others),"user":"ann","time":5}"#
    }

    @Test("suggest_edit finds the passage, and writes a note that suggests the change")
    func suggestion() throws {
        let arguments = #"{"name":"plan","old_text":"two","new_text":"2\r\n","reason":"short"}"#
        #expect(
            try texts("suggest_edit", arguments, Self.text("one 🙂two"), Self.written)
                == ["plan: note 3 suggests the change; people decide about it"])
        #expect(
            server.messages == [
                #"{"type":"read","doc":"plan"}"#,
                #"{"type":"add_note","doc":"plan","rev":7,"range":[6,9],"edits":[{"range":[6,9],"text":"2\n"}],"text":"short"}"#,
            ])
        let missing = try texts("suggest_edit", arguments, Self.text("one"))
        #expect(missing[0].hasPrefix("failed: the passage does not occur"))
    }

    @Test("add_note is about the document, a passage or another note")
    func addedNotes() throws {
        let words = #"{"name":"plan","passage":"two","text":"Why?"}"#
        #expect(
            try texts("add_note", words, Self.text("one two"), Self.written) == ["plan: note 3 is written"])
        #expect(
            server.messages.last
                == #"{"type":"add_note","doc":"plan","rev":7,"range":[4,7],"text":"Why?"}"#)
        _ = try texts("add_note", #"{"name":"plan","text":"Why?"}"#, Self.written)
        #expect(server.messages.last == #"{"type":"add_note","doc":"plan","text":"Why?"}"#)
        _ = try texts("answer_note", #"{"name":"plan","text":"So.","note":2}"#, Self.written)
        #expect(server.messages.last == #"{"type":"add_note","doc":"plan","parent":2,"text":"So."}"#)
        #expect(
            try texts("add_note", #"{"name":"plan","text":"x"}"#, Self.error("forbidden"))[0].hasPrefix(
                "failed: "))
    }

    @Test("list_notes lists the open threads with their answers, or all of them")
    func listedNotes() throws {
        let notes = [
            Self.note(1, #""text":"Why?","state":"open""#), Self.note(2, #""text":"Old","state":"resolved""#),
            #"{"note":3,"version":1,"parent":1,"quote":"","text":"So.","user":"bob","time":6,"state":"open"}"#,
            Self.note(4, #""text":"","edits":[{"range":[4,7],"text":"2"}],"state":"open""#),
        ].joined(separator: ",")
        let list = try texts("list_notes", #"{"name":"plan"}"#, Self.notes(notes))
        #expect(list[0] == "Notes on plan, revision 7:")
        #expect(
            list[1] == """
                1, by ann on “two”: Why?
                  answer 3, by bob: So.
                4, by ann on “two”: suggests: “2” 
                """)
        #expect(
            server.messages.last == #"{"type":"list_notes","doc":"plan","since":0,"after":0,"limit":1000}"#)
        let all = try texts(
            "list_notes", #"{"name":"plan","all":true}"#, Self.notes(notes, #","more":true"#),
            Self.notes(Self.note(5, #""text":"Last","state":"open""#)))
        #expect(all[1].contains("2, resolved, by ann on “two”: Old"))
        #expect(all[1].hasSuffix("5, by ann on “two”: Last"))
        #expect(
            server.messages.last == #"{"type":"list_notes","doc":"plan","since":0,"after":4,"limit":1000}"#)
        #expect(try texts("list_notes", #"{"name":"plan"}"#, Self.notes("")) == ["plan has no open notes"])
        #expect(
            try texts("list_notes", #"{"name":"plan","all":true}"#, Self.notes("")) == ["plan has no notes"])
    }

    @Test("resolve_note names the version that the note has")
    func resolvedNotes() throws {
        let note = Self.note(2, #""text":"Why?","state":"open""#)
        let arguments = #"{"name":"plan","note":2}"#
        #expect(
            try texts("resolve_note", arguments, Self.notes(note), Self.written)
                == ["plan: note 3 is resolved"])
        #expect(
            server.messages == [
                #"{"type":"list_notes","doc":"plan","since":0,"after":1,"limit":1}"#,
                #"{"type":"change_note","doc":"plan","note":2,"version":2,"state":"resolved"}"#,
            ])
        let reopened = #"{"name":"plan","note":2,"reopen":true}"#
        #expect(
            try texts("resolve_note", reopened, Self.notes(note), Self.written)
                == ["plan: note 3 is open again"])
        #expect(
            try texts("resolve_note", arguments, Self.notes(""))
                == ["failed: plan has no note 2; list_notes lists the notes"])
    }

    @Test("a long passage is searched in one pass")
    func longPassage() throws {
        let text = String(repeating: "a", count: 200_000)
        let arguments = #"{"name":"plan","old_text":"\#(text.prefix(100_000))b","new_text":"2"}"#
        let result = try texts("edit_document", arguments, Self.opened(text), Self.closed)
        #expect(result[0].hasPrefix("failed: the passage does not occur"))
    }

    @Test("a refused push closes the document, and says what to do")
    func refusedEdit() throws {
        let arguments = #"{"name":"plan","old_text":"two","new_text":"2"}"#
        let result = try texts(
            "edit_document", arguments, Self.opened("two"),
            Self.error("forbidden").replacingOccurrences(
                of: #""doc":"plan","#, with: #""doc":"plan","seq":1,"#),
            Self.closed)
        #expect(result == ["failed: no (forbidden)\nask the user for a token with this right"])
        #expect(server.messages.last == #"{"type":"close"}"#)
    }

    @Test(
        "write_document merges into the revision that it names, and returns the text if others have changed it"
    )
    func write() throws {
        let arguments = #"{"name":"plan","text":"mine","base_revision":3}"#
        #expect(
            try texts("write_document", arguments, Self.text("old", rev: 3), Self.ack(8, #","text":"mine!""#))
                == [
                    "plan: saved as revision 8. Other people changed the text meanwhile. It is now:", "mine!",
                ])
        #expect(
            server.messages == [
                #"{"type":"read","doc":"plan","rev":3}"#,
                #"{"type":"push","doc":"plan","epoch":"k2v9.1","base":3,"seq":1,"text":"mine","want":"text"}"#,
            ])
        let same = try texts(
            "write_document", #"{"name":"plan","text":"old"}"#, Self.text("old"),
            Self.ack(7, #","text":"old","unchanged":true"#))
        #expect(same == ["plan: unchanged, at revision 7"])
        let breaks = try texts(
            "write_document", #"{"name":"plan","text":"a\r\nb"}"#, Self.text("old"),
            Self.ack(8, #","text":"a\nb""#))
        #expect(breaks == ["plan: saved as revision 8"])
    }

    @Test("only write_document with `create` creates a document")
    func create() throws {
        let created = try texts(
            "write_document", #"{"name":"plan","text":"new","create":true}"#, Self.error("not_found"),
            Self.ack(1, #","epoch":"k2v9.1","text":"new""#))
        #expect(created == ["plan: saved as revision 1"])
        #expect(
            server.messages.last
                == #"{"type":"push","doc":"plan","base":0,"seq":1,"text":"new","want":"text","create":true}"#)
        server.forget()
        let refused = try texts(
            "write_document", #"{"name":"plan","text":"new"}"#, Self.error("not_found"))
        #expect(refused[0].hasPrefix("failed: no (not_found)") && server.messages.count == 1)
        // Without rights, the document is missing for the push too.
        server.forget()
        let unseen = try texts(
            "write_document", #"{"name":"plan","text":"new","create":true}"#, Self.error("not_found"),
            Self.error("not_found"))
        #expect(unseen[0].hasPrefix("failed: no (not_found)") && server.messages.count == 2)
    }

    @Test("wait_for_changes returns a newer revision at once")
    func newer() throws {
        let result = try texts(
            "wait_for_changes", #"{"name":"plan","after_revision":3}"#, Self.opened("b"), Self.closed,
            Self.text("b"), Self.text("a", rev: 3))
        #expect(
            result == [
                "plan: revision 7. What changed since revision 3:",
                "--- revision 3\n+++ revision 7\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
                    + "\\ No newline at end of file\n",
            ])
        #expect(
            server.messages == [
                #"{"type":"open","doc":"plan","mode":"watch"}"#, #"{"type":"close"}"#,
                #"{"type":"read","doc":"plan"}"#, #"{"type":"read","doc":"plan","rev":3}"#,
            ])
    }

    @Test("wait_for_changes waits for a change, until its time is up")
    func waiting() throws {
        func begin() {
            server.forget()
            server.answers = [Self.opened("a"), Self.closed, Self.text("b", rev: 8), Self.text("a")]
            let arguments = #"{"name":"plan","after_revision":7,"timeout_seconds":2}"#
            server.send(
                WebConversation.bytes(of: "POST /mcp", body: Self.call("wait_for_changes", arguments)))
            #expect(server.responses.isEmpty)
        }
        begin()
        server.pass(seconds: 1.9)
        #expect(server.responses.isEmpty)
        server.pass(seconds: 0.1)
        #expect(try texts(of: server.response()) == ["plan: no change since revision 7"])
        begin()
        server.room(Self.change, to: 2)
        #expect(try texts(of: server.response())[0] == "plan: revision 8. What changed since revision 7:")
        // The time of a request that was answered does not matter any more.
        server.forget()
        server.pass(seconds: 2)
        #expect(server.responses.isEmpty && server.actions == [])
        begin()
        server.room(#"{"type":"gone","doc":"plan","reason":"deleted"}"#, to: 3)
        #expect(try texts(of: server.response())[0].hasPrefix("failed: plan: it was deleted"))
    }

    @Test("a change that came in time is returned, even if its text comes later")
    func lateText() throws {
        server.answers = [Self.opened("a", rev: 3), "", Self.text("b"), Self.text("a", rev: 3)]
        let arguments = #"{"name":"plan","after_revision":3,"timeout_seconds":1}"#
        server.send(WebConversation.bytes(of: "POST /mcp", body: Self.call("wait_for_changes", arguments)))
        server.room(Self.change, to: 1)
        server.pass(seconds: 2)
        #expect(server.responses.isEmpty)
        server.room(Self.closed, to: 1)
        server.end(1)
        #expect(try texts(of: server.response())[0] == "plan: revision 7. What changed since revision 3:")
    }

    @Test("a server that stops answers a waiting call")
    func stopping() throws {
        server.answers = [Self.opened("a")]
        let arguments = #"{"name":"plan","after_revision":7}"#
        server.send(WebConversation.bytes(of: "POST /mcp", body: Self.call("wait_for_changes", arguments)))
        server.shutDown()
        server.end(1)
        #expect(try server.response().status.hasPrefix("503"))
    }

    @Test("a server that stops answers what was saved")
    func stoppingAfterwards() throws {
        server.world.holdsComputations = true
        server.answers = [Self.text("old"), Self.ack(8, #","text":"new""#)]
        let arguments = #"{"name":"plan","text":"new"}"#
        server.send(WebConversation.bytes(of: "POST /mcp", body: Self.call("write_document", arguments)))
        #expect(server.responses.isEmpty)
        server.shutDown()
        #expect(try texts(of: server.response()) == ["plan: saved as revision 8"])
        #expect(server.world.compute(number: 1) == [])
    }

    @Test("a long answer is refused while the server's memory for output is used up")
    func memory() throws {
        server.world.holdsComputations = true
        server.answers = [Self.text(String(repeating: "x", count: 1 << 17))]
        server.send(
            WebConversation.bytes(of: "POST /mcp", body: Self.call("read_document", #"{"name":"plan"}"#)))
        server.world.isOutputUsedUp.change { $0 = true }
        #expect(server.world.compute(number: 1).joined().contains("503 Service Unavailable"))
    }
}
