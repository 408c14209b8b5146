import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("`caret mcp`", .serialized) struct AssistantTests {
    /// A running `caret mcp`.
    private final class Assistant {
        private let program: ChildProgram
        private let received: ReceivedLines
        private var lastID = 0

        init(_ session: CommandSession, name: String) throws {
            program = try ChildProgram(
                [ChildProgram.path(of: "caret"), "mcp", "--name", name],
                environment: Run.surroundings.merging(["CARET_SERVER": session.address]) { $1 },
                input: .pipe, output: .pipe)
            received = ReceivedLines(of: program.output)
            let parameters: [String: Any] = [
                "protocolVersion": "2025-11-25", "capabilities": [:],
                "clientInfo": ["name": "test", "version": "1"],
            ]
            _ = try request("initialize", parameters)
        }

        /// Sends a request, and returns its result.
        func request(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
            lastID += 1
            let message: [String: Any] = [
                "jsonrpc": "2.0", "id": lastID, "method": method, "params": parameters,
            ]
            try send(message)
            let answer = try #require(
                try JSONSerialization.jsonObject(with: nextLine()) as? [String: Any])
            #expect(answer["id"] as? Int == lastID)
            #expect(ProtocolShape.answer(to: method).problem(in: answer) == nil)
            return try #require(answer["result"] as? [String: Any])
        }

        func send(_ message: [String: Any]) throws {
            let line = try JSONSerialization.data(withJSONObject: message)
            try program.write(String(decoding: line, as: UTF8.self) + "\n")
        }

        /// Calls a tool. Returns its texts, and whether it failed.
        func call(_ tool: String, _ arguments: [String: Any]) throws -> (texts: [String], isError: Bool) {
            let result = try request("tools/call", ["name": tool, "arguments": arguments])
            let content = try #require(result["content"] as? [[String: String]])
            #expect(content.allSatisfy { $0["type"] == "text" })
            return (content.compactMap { $0["text"] }, try #require(result["isError"] as? Bool))
        }

        private func nextLine() throws -> Data {
            try #require(received.next(), "caret mcp has ended, or has not answered")
        }

        func end() -> Int32? {
            program.endInput()
            return program.waitForEnd()
        }
    }

    @Test("an assistant lists, reads and edits, and mends a refused call")
    func work() throws {
        let session = try CommandSession()
        let assistant = try Assistant(session, name: "Helper")
        #expect(try assistant.call("list_documents", [:]).texts == ["there are no documents"])
        let missing = try assistant.call("read_document", ["name": "plan"])
        #expect(missing.isError && missing.texts[0].contains("there is no such document"))
        // An assistant has tools, and no shell.
        #expect(missing.texts[0].contains("list_documents") && !missing.texts[0].contains("caret ls"))
        let made = try assistant.call(
            "write_document", ["name": "plan", "text": "one\ntwo\none\n", "create": true])
        #expect(made.texts == ["plan: saved as revision 1"] && !made.isError)
        #expect(
            try assistant.call("read_document", ["name": "plan"]).texts == [
                "plan, revision 1:", "one\ntwo\none\n",
            ])
        let vague = try assistant.call("edit_document", ["name": "plan", "old_text": "one"])
        #expect(vague.isError && vague.texts == ["arguments.new_text is missing"])
        let twice = try assistant.call("edit_document", ["name": "plan", "old_text": "one", "new_text": "1"])
        #expect(twice.isError && twice.texts[0].contains("in lines 1, 3; pass more of the text"))
        let once = try assistant.call(
            "edit_document", ["name": "plan", "old_text": "one\ntwo", "new_text": "zero\r\ntwo"])
        #expect(once.texts == ["plan: saved as revision 2"])
        #expect(try session.caret(["cat", "plan"]).output == "zero\ntwo\none\n")
        #expect(
            try assistant.call("list_documents", ["prefix": "pl"]).texts == [
                "plan  revision 2, 13 characters"
            ])
        #expect(
            try assistant.call("read_document", ["name": "plan", "revision": 1]).texts
                == ["plan, revision 1:", "one\ntwo\none\n"])
        #expect(
            try assistant.call("read_document", ["name": "plan", "first_line": 2, "lines": 1]).texts
                == ["plan, revision 2, lines 2 to 2 of 3:", "two\n"])
        let behind = try assistant.call("read_document", ["name": "plan", "first_line": 4])
        #expect(behind.isError && behind.texts == ["first_line is 4, but the text has only 3 lines"])
        let history = try assistant.call("document_history", ["name": "plan", "limit": 1]).texts
        #expect(history[0] == "plan, newest first:" && history[1].hasPrefix("revision 2  20"))
        #expect(history[1].contains(" UTC  anonymous  +") && !history[1].contains("revision 1"))
        #expect(assistant.end() == 0)
    }

    @Test("a whole text is merged with what others changed since its base")
    func merging() throws {
        let session = try CommandSession()
        let assistant = try Assistant(session, name: "Helper")
        #expect(try session.caret(["put", "plan", "--create"], input: "one\ntwo\n").status == 0)
        _ = try assistant.call("read_document", ["name": "plan"])
        #expect(try session.caret(["put", "plan"], input: "zero\none\ntwo\n").status == 0)
        let saved = try assistant.call(
            "write_document", ["name": "plan", "text": "one\ntwo\nthree\n", "base_revision": 1])
        #expect(
            saved.texts == [
                "plan: saved as revision 3. Other people changed the text meanwhile. It is now:",
                "zero\none\ntwo\nthree\n",
            ])
        #expect(assistant.end() == 0)
    }

    @Test("an assistant suggests, notes and resolves, and the text stays as it is")
    func notes() throws {
        let session = try CommandSession()
        let assistant = try Assistant(session, name: "Helper")
        #expect(try session.caret(["put", "plan", "--create"], input: "one two\n").status == 0)
        let suggested = try assistant.call(
            "suggest_edit", ["name": "plan", "old_text": "two", "new_text": "2", "reason": "short"])
        #expect(suggested.texts == ["plan: note 1 suggests the change; people decide about it"])
        #expect(
            try assistant.call("add_note", ["name": "plan", "passage": "one", "text": "Why?"]).texts
                == ["plan: note 2 is written"])
        #expect(
            try assistant.call("answer_note", ["name": "plan", "note": 2, "text": "So."]).texts
                == ["plan: note 3 is written"])
        #expect(
            try assistant.call("list_notes", ["name": "plan"]).texts[1] == """
                1, by anonymous on “two”: suggests: “2” short
                2, by anonymous on “one”: Why?
                  answer 3, by anonymous: So.
                """)
        #expect(
            try assistant.call("resolve_note", ["name": "plan", "note": 2]).texts
                == ["plan: note 2 is resolved"])
        #expect(try assistant.call("resolve_note", ["name": "plan", "note": 9]).isError)
        #expect(try session.caret(["cat", "plan"]).output == "one two\n")
    }

    @Test("people see the assistant's name and caret, and keep their own caret")
    func people() async throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "plan", "--create"], input: "one two three\n").status == 0)
        let client = LiveClient(session.socket)
        let open = try await client.open("plan").opened()
        try open.select([Selection(caret: 13)])
        let assistant = try Assistant(session, name: "Helper")
        #expect(
            try assistant.call("edit_document", ["name": "plan", "old_text": "two", "new_text": "twenty"])
                .texts
                == ["plan: saved as revision 2"])
        var updates = open.updates.makeAsyncIterator()
        while open.peers.first?.selections != [Selection(caret: 10)] { _ = await updates.next() }
        #expect(open.peers.map(\.person?.name) == ["Helper"])
        #expect(open.selections == [Selection(caret: 16)])
        #expect(open.text.string == "one twenty three\n")

        try open.replace(0..<3, with: "One")
        try await open.saved()
        let changed = try assistant.call("wait_for_changes", ["name": "plan", "after_revision": 2])
        #expect(changed.texts[0] == "plan: revision 3. What changed since revision 2:")
        #expect(changed.texts[1].contains("-one twenty three\n+One twenty three\n"))
        let still = try assistant.call(
            "wait_for_changes", ["name": "plan", "after_revision": 3, "timeout_seconds": 1])
        #expect(still.texts == ["plan: no change since revision 3"])
        #expect(assistant.end() == 0)
        client.close()
    }

    @Test("calls that were sent before the end of the input are finished")
    func end() throws {
        let session = try CommandSession()
        let run = try session.caret(
            ["mcp"],
            input: """
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_for_changes","arguments":{"name":"a","after_revision":9}}}
                {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write_document","arguments":{"name":"a","text":"x","create":true}}}
                {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"edit_document","arguments":{"name":"a","old_text":"x","new_text":"y"}}}
                """)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        #expect(
            run.output.contains(
                #""id":4,"result":{"content":[{"type":"text","text":"a: saved as revision 2"}]"#))
        #expect(try session.caret(["cat", "a"]).output == "y")
    }

    @Test("lines that are not JSON are answered, and the session goes on")
    func malformed() throws {
        let session = try CommandSession()
        let input = [
            #"{"x":"#, String(repeating: "[", count: 512), #"{"x":"\uD800"}"#, "\u{0}",
            #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        ]
        let run = try session.caret(["mcp"], input: input.joined(separator: "\n"))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        let answers = run.output.split(separator: "\n")
        try #require(answers.count == input.count, "\(run)")
        #expect(answers.dropLast().allSatisfy { $0.contains(#""error":{"code":-32700,"#) })
        #expect(answers.last == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }
}
