import CaretWire
import Foundation
import TestSupport
import Testing

@Suite("The published schema of the Model Context Protocol") struct ProtocolShapeTests {
    private func message(_ method: String, _ parameters: [String: Any]) throws -> [UInt8] {
        let message: [String: Any] = ["jsonrpc": "2.0", "id": 7, "method": method, "params": parameters]
        return Array(try JSONSerialization.data(withJSONObject: message))
    }

    private func hello(_ version: String) throws -> [UInt8] {
        // What a program may say about itself in any version.
        let abilities: [String: Any] = ["roots": ["listChanged": true], "sampling": [:], "elicitation": [:]]
        return try message(
            "initialize",
            [
                "protocolVersion": version, "capabilities": abilities,
                "clientInfo": ["name": "test", "title": "Test", "version": "1"],
            ])
    }

    private func object(_ line: [UInt8]?) throws -> [String: Any] {
        let line = try #require(line)
        return try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }

    private func answer(_ step: AssistantSession.Step?) throws -> [String: Any] {
        guard case .answer(let line) = step else { return try object(nil) }
        return try object(line)
    }

    @Test("a whole conversation follows it, in each version", arguments: AssistantAnswers.versions)
    func conversation(version: String) throws {
        var session = AssistantSession(AssistantAnswers(caretVersion: "1.2.3"))
        let welcome = try answer(session.received(hello(version)))
        #expect(ProtocolShape.answer(to: "initialize").problem(in: welcome) == nil)
        #expect((welcome["result"] as? [String: Any])?["protocolVersion"] as? String == version)

        // Every request may have this, and a server need not report progress.
        let progress: [String: Any] = ["_meta": ["progressToken": "p1"]]
        let tools = try answer(session.received(message("tools/list", progress)))
        #expect(ProtocolShape.answer(to: "tools/list").problem(in: tools) == nil)
        let pong = try answer(session.received(message("ping", progress)))
        #expect(ProtocolShape.answer(to: "ping").problem(in: pong) == nil)

        let call: [String: Any] = ["name": "read_document", "arguments": ["name": "a"], "_meta": [:]]
        let step = session.received(try message("tools/call", call))
        #expect(step == .call(.read(name: "a", revision: nil, lines: nil), .number(7)))
        let result = try object(session.finished(.number(7), ToolResult("a, revision 1:", "text")))
        #expect(ProtocolShape.answer(to: "tools/call").problem(in: result) == nil)

        let unknown = try answer(session.received(message("resources/list", [:])))
        #expect(ProtocolShape.refusal.problem(in: unknown) == nil)
        let noTool = try answer(session.received(message("tools/call", ["name": "fly", "arguments": [:]])))
        #expect(ProtocolShape.refusal.problem(in: noTool) == nil)
    }

    @Test("each tool accepts the arguments of its own description, and says which one is missing")
    func descriptions() throws {
        var session = AssistantSession(AssistantAnswers(caretVersion: "1.2.3"))
        _ = session.received(try hello(AssistantAnswers.versions[0]))
        let list = try answer(session.received(message("tools/list", [:])))
        let tools = try #require((list["result"] as? [String: Any])?["tools"] as? [[String: Any]])
        #expect(tools.count == 11)
        let examples: [String: Any] = ["string": "a", "integer": 1, "boolean": true]
        for tool in tools {
            let name = try #require(tool["name"] as? String)
            let schema = try #require(tool["inputSchema"] as? [String: Any])
            let properties = try #require(schema["properties"] as? [String: [String: String]])
            let required = try #require(schema["required"] as? [String])
            let all = properties.compactMapValues { $0["type"].flatMap { examples[$0] } }
            #expect(all.count == properties.count)
            for arguments in [all, all.filter { required.contains($0.key) }] {
                let step = session.received(
                    try message("tools/call", ["name": name, "arguments": arguments]))
                guard case .call(_, let id) = step else {
                    Issue.record("\(name) refuses \(arguments)")
                    continue
                }
                _ = session.finished(id, ToolResult(""))
            }
            for missing in required {
                let arguments = all.filter { $0.key != missing }
                let refused = try answer(
                    session.received(message("tools/call", ["name": name, "arguments": arguments])))
                #expect(ProtocolShape.answer(to: "tools/call").problem(in: refused) == nil)
                let result = try #require(refused["result"] as? [String: Any])
                #expect(result["isError"] as? Bool == true)
                let content = try #require(result["content"] as? [[String: String]])
                #expect(content.map { $0["text"] } == ["arguments.\(missing) is missing"])
            }
        }
    }

    @Test("a message of a different shape is noticed")
    func differences() {
        let shape = ProtocolShape.answer(to: "tools/call")
        let content: [String: Any] = ["type": "text", "text": "a"]
        func problem(_ result: [String: Any]) -> String? {
            shape.problem(in: ["jsonrpc": "2.0", "id": 1, "result": result])
        }
        #expect(problem(["content": [content], "isError": false]) == nil)
        #expect(problem([:]) == "message.result.content is missing")
        let misspelt = problem(["content": [content], "is_error": false])
        #expect(misspelt == "message.result.is_error is unknown")
        #expect(problem(["content": [["type": "text"]]]) == "message.result.content[0].text is missing")
        let unknown: [String: Any] = ["type": "txt", "text": "a"]
        #expect(problem(["content": [unknown]]) == "message.result.content[0].type is txt")
        #expect(problem(["content": "a"]) == "message.result.content is a")
    }
}
