import CaretConfig
import FoundationEssentials

/// A session of the Model Context Protocol: turns lines from an assistant's program into answers and tool calls.
///
/// It is a value without input and output, so that tests can follow it step by step.
package struct AssistantSession {
    package enum Step: Equatable, Sendable {
        case answer(line: String)
        /// Run the tool, and pass the result to `finished`.
        case call(ToolCall, RPCID)
        /// The assistant no longer wants the result of this call.
        case cancel(RPCID)
    }

    /// The versions of the protocol that this session speaks, newest first.
    package static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

    private static let instructions = """
        Documents are edited by several people and programs at the same time. Everybody sees your name and your caret \
        where you edit. Read a document before you change it. Prefer edit_document. If an answer says that the text \
        was changed meanwhile, read the document again.
        """

    /// The calls without a result. A program must not use an id again before that.
    private var running: Set<RPCID> = []
    private var isInitialized = false

    package init() {}

    /// Handles a line. Returns nil if it needs no answer.
    package mutating func received(_ line: [UInt8]) -> Step? {
        let data = Data(line)
        do {
            let message = try JSONDecoder().decode(RPCMessage.self, from: data)
            return try received(message, data)
        } catch let error as DecodingError {
            let isJSON = (try? JSONDecoder().decode(Anything.self, from: data)) != nil
            let fault: RPCFault = isJSON ? .invalid(error.sentence) : .parse("the line is not JSON")
            return .answer(line: RPCMessage.fault(fault, for: nil).line)
        } catch {
            return .answer(line: RPCMessage.fault(.parse("\(error)"), for: nil).line)
        }
    }

    /// The line that answers a call. Nil if the call was cancelled.
    package mutating func finished(_ id: RPCID, _ result: ToolResult) -> String? {
        running.remove(id) == nil ? nil : RPCMessage.result(result.json, for: id).line
    }

    private mutating func received(_ message: RPCMessage, _ line: Data) throws -> Step? {
        guard let method = message.method else {
            // An answer. This session asks nothing, so it expects none.
            return nil
        }
        guard let id = message.id else { return notified(method, line) }
        do {
            guard message.jsonrpc == "2.0" else { throw RPCFault.invalid("jsonrpc must be \"2.0\"") }
            return try requested(method, id, line)
        } catch let fault as RPCFault {
            return .answer(line: RPCMessage.fault(fault, for: id).line)
        } catch let error as DecodingError {
            return .answer(line: RPCMessage.fault(.badParameters(error.sentence), for: id).line)
        }
    }

    private mutating func requested(_ method: String, _ id: RPCID, _ line: Data) throws -> Step? {
        func answer(_ result: JSON) -> Step { .answer(line: RPCMessage.result(result, for: id).line) }
        switch method {
        case "initialize":
            isInitialized = true
            return answer(try welcome(line))
        case "ping": return answer(.object([]))
        case "tools/list", "tools/call":
            guard isInitialized else { throw RPCFault.invalid("send initialize first") }
            if method == "tools/list" { return answer(ToolList.json) }
            let call = try ToolCall.read(line)
            guard running.insert(id).inserted else {
                throw RPCFault.invalid("the id \(id.json.line) is in use by a call without a result")
            }
            return .call(call, id)
        default: throw RPCFault.noMethod(method)
        }
    }

    private mutating func notified(_ method: String, _ line: Data) -> Step? {
        struct Cancellation: Decodable {
            struct Parameters: Decodable { let requestId: RPCID }
            let params: Parameters
        }
        guard method == "notifications/cancelled",
            let id = try? JSONDecoder().decode(Cancellation.self, from: line).params.requestId,
            running.remove(id) != nil
        else { return nil }
        return .cancel(id)
    }

    private func welcome(_ line: Data) throws -> JSON {
        struct Initialize: Decodable {
            struct Parameters: Decodable { let protocolVersion: String }
            let params: Parameters
        }
        let asked = try JSONDecoder().decode(Initialize.self, from: line).params.protocolVersion
        let version = Self.versions.contains(asked) ? asked : Self.versions[0]
        return .object([
            "protocolVersion": .text(version), "capabilities": .object(["tools": .object([])]),
            "serverInfo": .object([
                "name": .text("caret"), "title": .text("Caret"), "version": .text(Version.number),
            ]),
            "instructions": .text(Self.instructions),
        ])
    }
}

/// Any JSON value.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
}
