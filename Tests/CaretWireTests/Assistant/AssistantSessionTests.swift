import CaretCore
import CaretWire
import Testing

@Suite("Sessions of the Model Context Protocol, step by step")
struct AssistantSessionTests {
    private let answers = AssistantAnswers(caretVersion: "1.2.3")

    private func line(_ step: AssistantSession.Step?) -> String? {
        if case .answer(let line) = step { text(line) } else { nil }
    }

    private func text(_ line: [UInt8]?) -> String? { line.map { String(decoding: $0, as: UTF8.self) } }

    /// A session after `initialize`.
    private func session() -> AssistantSession {
        var session = AssistantSession(answers)
        _ = session.received(Array(hello("2025-11-25").utf8))
        return session
    }

    private func hello(_ version: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(version)","#
            + #""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#
    }

    private func call(_ id: Int, _ tool: String, _ arguments: String) -> [UInt8] {
        let parameters = #"{"name":"\#(tool)","arguments":\#(arguments)}"#
        return Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":\#(parameters)}"#.utf8)
    }

    @Test(
        "the session speaks the asked version, or else its newest",
        arguments: [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("2031-01-01", "2025-11-25")])
    func versions(asked: String, spoken: String) throws {
        var session = AssistantSession(answers)
        let answer = try #require(line(session.received(Array(hello(asked).utf8))))
        #expect(
            answer.hasPrefix(
                #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"\#(spoken)","capabilities":{"tools":{}},"#
            ))
        #expect(
            session.received(Array(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.utf8)) == nil)
    }

    @Test(
        "each invalid message gets the error that JSON-RPC names",
        arguments: [
            (#"{"id":2}"#, #""id":2,"error":{"code":-32600,"message":"jsonrpc is missing"}"#),
            (
                #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                #""id":null,"error":{"code":-32600,"message":"id is 1.5; expected a string or an integer"}"#
            ),
            (
                #"{"jsonrpc":"1.0","id":2,"method":"ping"}"#,
                #""id":2,"error":{"code":-32600,"message":"jsonrpc must be \"2.0\""}"#
            ),
            (
                #"{"jsonrpc":"2.0","id":"a","method":"dance"}"#,
                #""id":"a","error":{"code":-32601,"message":"there is no method \"dance\""}"#
            ),
            (
                #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fly","arguments":{}}}"#,
                #""id":2,"error":{"code":-32602,"message":"params.name is \"fly\", and there is no such tool"}"#
            ),
            (
                #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_document","arguments":{}}}"#,
                #""id":2,"result":{"content":[{"type":"text","text":"arguments.name is missing"}],"isError":true}"#
            ),
        ])
    func faults(message: String, answer: String) {
        var session = session()
        #expect(line(session.received(Array(message.utf8))) == #"{"jsonrpc":"2.0",\#(answer)}"#)
    }

    @Test(
        "a line that is not an object of strict JSON has a defined answer",
        arguments: [
            "x", "[]", #"{"x":"#, String(repeating: "[", count: 512), #"{"x":"\uD800"}"#, #"{"x":1,"x":2}"#,
            "{\"x\":\"\u{1}\"}", #"{"x":1e}"#, #"{"id":2} {"#, "",
        ].map { Array($0.utf8) } + [Array("{\"x\":\"".utf8) + [0xFF] + Array("\"}".utf8)])
    func malformed(message: [UInt8]) throws {
        var session = session()
        let answer = try #require(line(session.received(message)))
        let refusal =
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line was refused: byte "#
        #expect(answer.hasPrefix(refusal), "\(answer)")
    }

    @Test(
        "objects and arrays may be nested 32 levels deep",
        arguments: [(32, true), (33, false), (1 << 20, false)])
    func nesting(levels: Int, isAllowed: Bool) throws {
        var session = session()
        // The message and its parameters are two levels.
        let deep = String(repeating: "[", count: levels - 2) + String(repeating: "]", count: levels - 2)
        let ping = #"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":\#(deep)}}"#
        let answer = try #require(line(session.received(Array(ping.utf8))))
        #expect(answer.contains("there are more than 32 levels of objects and arrays") == !isAllowed)
        #expect((answer == #"{"jsonrpc":"2.0","id":2,"result":{}}"#) == isAllowed)
    }

    @Test(
        "a revision is an integer from 0 to 9007199254740991, or null for none",
        arguments: [
            ("null", nil), ("0", nil), ("9007199254740991", nil),
            (
                "9007199254740992",
                #"-32700,"message":"the line was refused: byte 114: an integer must lie within"#
            ),
            ("1e400", #"-32700,"message":"the line was refused: byte 114: a number must lie between"#),
            ("-1", "arguments.revision is -1; expected an integer from 0 to"),
            (#""1""#, #"arguments.revision is \"1\"; expected an integer"#),
        ] as [(String, String?)])
    func revisions(revision: String, problem: String?) throws {
        var session = session()
        let step = session.received(call(3, "read_document", #"{"name":"a","revision":\#(revision)}"#))
        if let problem {
            #expect(try #require(line(step)).contains(problem))
        } else {
            #expect(step == .call(.read(name: "a", revision: Int(revision), lines: nil), .number(3)))
        }
    }

    @Test("tools need initialize, and ping does not")
    func order() {
        var session = AssistantSession(answers)
        let ping = session.received(Array(#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#.utf8))
        #expect(line(ping) == #"{"jsonrpc":"2.0","id":7,"result":{}}"#)
        let early = session.received(call(8, "list_documents", "{}"))
        #expect(line(early)?.contains("send initialize first") == true)
    }

    @Test("each tool reads its arguments")
    func tools() {
        var session = session()
        let calls: [(String, String, ToolCall)] = [
            ("list_documents", "{}", .list(prefix: "")),
            ("list_documents", #"{"prefix":"a/"}"#, .list(prefix: "a/")),
            ("read_document", #"{"name":"a"}"#, .read(name: "a", revision: nil, lines: nil)),
            ("read_document", #"{"name":"a","revision":3}"#, .read(name: "a", revision: 3, lines: nil)),
            (
                "read_document", #"{"name":"a","first_line":3,"lines":2}"#,
                .read(name: "a", revision: nil, lines: ToolLines(first: 3, count: 2))
            ),
            (
                "read_document", #"{"name":"a","lines":2}"#,
                .read(name: "a", revision: nil, lines: ToolLines(first: 1, count: 2))
            ),
            ("document_history", #"{"name":"a"}"#, .history(name: "a", limit: 20)),
            ("document_history", #"{"name":"a","limit":100}"#, .history(name: "a", limit: 100)),
            (
                "edit_document", #"{"name":"a","old_text":"x","new_text":"y"}"#,
                .edit(name: "a", old: "x", new: "y")
            ),
            (
                "write_document", #"{"name":"a","text":"t","base_revision":2,"create":true}"#,
                .write(name: "a", text: "t", base: 2, creates: true)
            ),
            (
                "wait_for_changes", #"{"name":"a","after_revision":2}"#,
                .wait(name: "a", after: 2, seconds: 60)
            ),
            ("list_notes", #"{"name":"a"}"#, .notes(.list(isForAll: false), name: "a")),
            ("add_note", #"{"name":"a","text":"t"}"#, .notes(.add(.document, text: "t"), name: "a")),
            (
                "suggest_edit", #"{"name":"a","old_text":"x","new_text":"y"}"#,
                .notes(.suggest(old: "x", new: "y", reason: ""), name: "a")
            ),
            ("resolve_note", #"{"name":"a","note":7}"#, .notes(.set(note: 7, .resolved), name: "a")),
        ]
        for (id, (tool, arguments, expected)) in calls.enumerated() {
            #expect(session.received(call(id + 10, tool, arguments)) == .call(expected, .number(id + 10)))
        }
    }

    /// A request of version 2026-07-28.
    private func stateless(
        _ method: String, _ rest: String = "", version: String = "2026-07-28",
        capabilities: String = #","io.modelcontextprotocol/clientCapabilities":{}"#
    ) -> [UInt8] {
        let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)"\#(capabilities)}"#
        return Array(#"{"jsonrpc":"2.0","id":4,"method":"\#(method)","params":{\#(meta)\#(rest)}}"#.utf8)
    }

    @Test("requests of version 2026-07-28 need no initialize, and can be mixed with older ones")
    func statelessRequests() throws {
        for var session in [AssistantSession(answers), session()] {
            let found = try #require(line(session.received(stateless("server/discover"))))
            #expect(found.contains(#""supportedVersions":["2026-07-28","2025-11-25","#))
            #expect(found.hasSuffix(#""resultType":"complete","ttlMs":3600000,"cacheScope":"public"}}"#))
            let tools = try #require(line(session.received(stateless("tools/list"))))
            #expect(tools.hasSuffix(#""resultType":"complete","ttlMs":3600000,"cacheScope":"public"}}"#))
            let read = stateless("tools/call", #","name":"read_document","arguments":{"name":"a"}"#)
            #expect(session.received(read) == .call(.read(name: "a", revision: nil, lines: nil), .number(4)))
            #expect(line(session.received(read))?.contains("the id 4 is in use") == true)
            #expect(
                text(session.finished(.number(4), ToolResult("x")))?.hasSuffix(
                    #""isError":false,"resultType":"complete"}}"#) == true)
            let wrong = stateless("tools/call", #","name":"read_document","arguments":{}"#)
            #expect(
                line(session.received(wrong))?.hasSuffix(#""isError":true,"resultType":"complete"}}"#) == true
            )
        }
    }

    @Test("the version 2026-07-28 has no initialize and no ping, and an unknown version names the known ones")
    func statelessRefusals() throws {
        var session = session()
        for method in ["initialize", "ping", "resources/list"] {
            let answer = line(session.received(stateless(method)))
            #expect(answer?.contains(#""error":{"code":-32601,"#) == true, "\(method)")
        }
        let unknown = line(session.received(stateless("tools/list", version: "2031-01-01")))
        #expect(unknown?.contains(#""error":{"code":-32022,"#) == true)
        #expect(unknown?.contains(#""data":{"supported":["2026-07-28","2025-11-25","#) == true)
        #expect(unknown?.hasSuffix(#""requested":"2031-01-01"}}}"#) == true)
        let silent = line(session.received(stateless("tools/list", capabilities: "")))
        #expect(
            silent?.contains("params._meta.io.modelcontextprotocol/clientCapabilities is missing") == true)
        let old = line(session.received(Array(#"{"jsonrpc":"2.0","id":4,"method":"server/discover"}"#.utf8)))
        #expect(old?.contains(#""code":-32601"#) == true)
    }

    @Test(
        "a part of a text has whole lines",
        arguments: [
            (1, nil, "a\nb\nc\n", "lines 1 to 3 of 3"), (2, 1, "b\n", "lines 2 to 2 of 3"),
            (2, 9, "b\nc\n", "lines 2 to 3 of 3"), (3, Int.max, "c\n", "lines 3 to 3 of 3"),
        ] as [(Int, Int?, String, String)])
    func parts(first: Int, count: Int?, text: String, words: String) throws {
        let part = try LinePart(ToolLines(first: first, count: count), of: "a\nb\nc\n")
        #expect((part.text, part.words) == (text, words))
    }

    @Test("a part of a text keeps its end, and a line behind the text is refused")
    func partEnds() throws {
        #expect(try LinePart(ToolLines(first: 2, count: nil), of: "a\nb").text == "b")
        #expect(try LinePart(ToolLines(first: 1, count: 1), of: "a\nb").text == "a\n")
        #expect(try LinePart(ToolLines(first: 1, count: 1), of: "").words == "without lines")
        let fault = #expect(throws: LinePart.Fault.self) {
            try LinePart(ToolLines(first: 3, count: 1), of: "a\nb")
        }
        #expect(fault?.description == "first_line is 3, but the text has only 2 lines")
    }

    @Test("only list_documents may be called without arguments")
    func noArguments() throws {
        var session = session()
        func received(_ tool: String) -> AssistantSession.Step? {
            session.received(
                Array(
                    #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"\#(tool)"}}"#.utf8))
        }
        #expect(received("list_documents") == .call(.list(prefix: ""), .number(3)))
        #expect(try #require(line(received("read_document"))).contains("arguments"))
    }

    @Test(
        "wait_for_changes accepts from 1 to 300 seconds",
        arguments: [(0, false), (1, true), (300, true), (301, false)])
    func waitingTime(seconds: Int, isValid: Bool) {
        var session = session()
        let arguments = #"{"name":"a","after_revision":2,"timeout_seconds":\#(seconds)}"#
        let step = session.received(call(2, "wait_for_changes", arguments))
        #expect((line(step) == nil) == isValid)
    }

    @Test("an id is free again after the result, and a cancelled call has none")
    func ids() {
        var session = session()
        let read = call(5, "read_document", #"{"name":"a"}"#)
        #expect(session.received(read) == .call(.read(name: "a", revision: nil, lines: nil), .number(5)))
        #expect(line(session.received(read))?.contains("the id 5 is in use") == true)
        let result = ToolResult("text")
        #expect(
            text(session.finished(.number(5), result))
                == #"{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"text"}],"isError":false}}"#
        )
        #expect(session.received(read) == .call(.read(name: "a", revision: nil, lines: nil), .number(5)))
        let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#
        #expect(session.received(Array(cancel.utf8)) == .cancel(.number(5)))
        #expect(session.received(Array(cancel.utf8)) == nil)
        #expect(session.finished(.number(5), result) == nil)
    }

    @Test("a passage must occur exactly once")
    func passages() throws {
        #expect(try UniquePassage("b", in: "a🙂b").range == Offset(3)..<Offset(4))
        #expect(throws: UniquePassage.Fault.empty) { try UniquePassage("", in: "a") }
        #expect(throws: UniquePassage.Fault.missing) { try UniquePassage("c", in: "ab") }
        #expect(throws: UniquePassage.Fault.missing) { try UniquePassage("abc", in: "ab") }
        #expect(throws: UniquePassage.Fault.ambiguous(lines: [1, 3])) {
            try UniquePassage("x", in: "x\n\n x")
        }
        // Occurrences that overlap are several too.
        #expect(throws: UniquePassage.Fault.ambiguous(lines: [1, 1])) { try UniquePassage("aa", in: "aaa") }
        // é as one letter, and as e with an accent.
        #expect(throws: UniquePassage.Fault.missing) { try UniquePassage("\u{E9}", in: "e\u{301}") }
    }
}
