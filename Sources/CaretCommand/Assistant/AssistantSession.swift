import CaretConfig
package import CaretWire

/// A session of the Model Context Protocol: turns lines from an assistant's program into answers and tool calls.
///
/// It is a value without input and output, so that tests can follow it step by step.
package struct AssistantSession {
    package enum Step: Equatable, Sendable {
        case answer(line: String)
        /// Run the tool, and pass the result to `finished`.
        case call(ToolCall, RequestID)
        /// The assistant no longer wants the result of this call.
        case cancel(RequestID)
    }

    /// The versions of the protocol that this session speaks, newest first.
    package static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

    private static let instructions = """
        Documents are edited by several people and programs at the same time. Everybody sees your name and your caret \
        where you edit. Read a document before you change it. Prefer edit_document. If an answer says that the text \
        was changed meanwhile, read the document again.
        """

    /// The calls without a result. A program must not use an id again before that.
    private var running: Set<RequestID> = []
    private var isInitialized = false

    package init() {}

    /// Handles a line. Returns nil if it needs no answer.
    package mutating func received(_ line: [UInt8]) -> Step? {
        do throws(RPCFault) {
            let message = try AssistantMessage(line)
            guard let id = message.id else { return notified(message.content) }
            return try requested(message.content, id)
        } catch {
            let fault = JSON.object(["code": .number(error.code.rawValue), "message": .text(error.message)])
            return .answer(line: answer("error", fault, for: error.id))
        }
    }

    /// The line that answers a call. Nil if the call was cancelled.
    package mutating func finished(_ id: RequestID, _ result: ToolResult) -> String? {
        running.remove(id) == nil ? nil : answer("result", result.json, for: id)
    }

    private mutating func requested(
        _ content: AssistantMessage.Content, _ id: RequestID
    ) throws(RPCFault) -> Step? {
        switch content {
        case .initialize(let version):
            isInitialized = true
            return .answer(line: answer("result", welcome(version.string), for: id))
        case .ping: return .answer(line: answer("result", .object([]), for: id))
        case .listTools:
            try requireInitialization(for: id)
            return .answer(line: answer("result", ToolList.json, for: id))
        case .call(let call):
            try requireInitialization(for: id)
            guard running.insert(id).inserted else {
                throw RPCFault(
                    .invalid, "the id \(id.json.line) is in use by a call without a result", id: id)
            }
            return .call(call, id)
        // As the result of a tool, because programs show results to the assistant, and errors of the protocol to nobody.
        case .badArguments(let reason):
            try requireInitialization(for: id)
            let result = ToolResult(reason, isError: true)
            return .answer(line: answer("result", result.json, for: id))
        // This session asks nothing, so it expects no answers.
        case .cancelled, .other: return nil
        }
    }

    private func requireInitialization(for id: RequestID) throws(RPCFault) {
        if !isInitialized { throw RPCFault(.invalid, "send initialize first", id: id) }
    }

    private mutating func notified(_ content: AssistantMessage.Content) -> Step? {
        guard case .cancelled(let id) = content, running.remove(id) != nil else { return nil }
        return .cancel(id)
    }

    private func answer(_ kind: String, _ value: JSON, for id: RequestID?) -> String {
        let members = [("jsonrpc", JSON.text("2.0")), ("id", id?.json ?? .null), (kind, value)]
        return JSON.object(members.map { (key: $0, value: $1) }).line
    }

    private func welcome(_ asked: String) -> JSON {
        .object([
            "protocolVersion": .text(Self.versions.contains(asked) ? asked : Self.versions[0]),
            "capabilities": .object(["tools": .object([])]),
            "serverInfo": .object([
                "name": .text("caret"), "title": .text("Caret"), "version": .text(Version.number),
            ]),
            "instructions": .text(Self.instructions),
        ])
    }
}

extension RequestID {
    fileprivate var json: JSON {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text.string)
        }
    }
}
