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

    /// The versions that begin with `initialize`, newest first.
    package static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// In this version, every request contains the version number, and there is no `initialize`.
    package static let statelessVersion = "2026-07-28"

    private static let instructions = """
        Documents are edited by several people and programs at the same time. Everybody sees your name and your caret \
        where you edit. Read a document before you change it. Prefer edit_document. If an answer says that the text \
        was changed meanwhile, read the document again.
        """

    /// The calls that have no result yet. The value says whether the call uses the stateless version. A program must not
    /// reuse the id of such a call.
    private var running: [RequestID: Bool] = [:]
    private var isInitialized = false

    package init() {}

    /// Handles a line. Returns nil if it needs no answer.
    package mutating func received(_ line: [UInt8]) -> Step? {
        do throws(RPCFault) {
            let message = try AssistantMessage(line)
            guard let id = message.id else { return notified(message.content) }
            guard let version = message.version else { return try requested(message.content, id) }
            if version.string != Self.statelessVersion { return .answer(line: refusal(of: version, id)) }
            return try requestedStateless(message.content, id)
        } catch {
            let fault = JSON.object(["code": .number(error.code.rawValue), "message": .text(error.message)])
            return .answer(line: answer("error", fault, for: error.id))
        }
    }

    /// The line that answers a call. Nil if the call was cancelled.
    package mutating func finished(_ id: RequestID, _ result: ToolResult) -> String? {
        running.removeValue(forKey: id).map { isStateless in
            answer("result", isStateless ? result.json.complete : result.json, for: id)
        }
    }

    private mutating func requestedStateless(
        _ content: AssistantMessage.Content, _ id: RequestID
    ) throws(RPCFault) -> Step? {
        switch content {
        case .discover: return .answer(line: answer("result", discovery.complete.cacheable, for: id))
        case .listTools: return .answer(line: answer("result", ToolList.json.complete.cacheable, for: id))
        case .call(let call): return try begin(call, id, isStateless: true)
        case .badArguments(let reason):
            return .answer(line: answer("result", ToolResult(reason, isError: true).json.complete, for: id))
        case .initialize, .ping, .cancelled, .other: return nil
        }
    }

    private mutating func begin(
        _ call: ToolCall, _ id: RequestID, isStateless: Bool
    ) throws(RPCFault) -> Step {
        if running[id] != nil {
            throw RPCFault(.invalid, "the id \(id.json.line) is in use by a call without a result", id: id)
        }
        running[id] = isStateless
        return .call(call, id)
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
            return try begin(call, id, isStateless: false)
        // As the result of a tool, because programs show results to the assistant, and errors of the protocol to nobody.
        case .badArguments(let reason):
            try requireInitialization(for: id)
            let result = ToolResult(reason, isError: true)
            return .answer(line: answer("result", result.json, for: id))
        // This session asks nothing, so it expects no answers.
        case .discover, .cancelled, .other: return nil
        }
    }

    private func requireInitialization(for id: RequestID) throws(RPCFault) {
        if !isInitialized { throw RPCFault(.invalid, "send initialize first", id: id) }
    }

    private mutating func notified(_ content: AssistantMessage.Content) -> Step? {
        guard case .cancelled(let id) = content, running.removeValue(forKey: id) != nil else { return nil }
        return .cancel(id)
    }

    private func answer(_ kind: String, _ value: JSON, for id: RequestID?) -> String {
        let members = [("jsonrpc", JSON.text("2.0")), ("id", id?.json ?? .null), (kind, value)]
        return JSON.object(members.map { (key: $0, value: $1) }).line
    }

    private static let capabilities = JSON.object(["tools": .object([])])
    private static let server = JSON.object([
        "name": .text("caret"), "title": .text("Caret"), "version": .text(Version.number),
    ])

    private func welcome(_ asked: String) -> JSON {
        .object([
            "protocolVersion": .text(Self.versions.contains(asked) ? asked : Self.versions[0]),
            "capabilities": Self.capabilities, "serverInfo": Self.server,
            "instructions": .text(Self.instructions),
        ])
    }

    private static let allVersions = JSON.list(([statelessVersion] + versions).map { .text($0) })

    private var discovery: JSON {
        .object([
            "supportedVersions": Self.allVersions, "capabilities": Self.capabilities,
            "instructions": .text(Self.instructions),
            "_meta": .object(["io.modelcontextprotocol/serverInfo": Self.server]),
        ])
    }

    private func refusal(of version: WireString, _ id: RequestID) -> String {
        let fault = JSON.object([
            "code": .number(RPCFault.Code.unsupportedVersion.rawValue),
            "message": .text("this server does not speak the version \(version.string) of the protocol"),
            "data": .object(["supported": Self.allVersions, "requested": .text(version.string)]),
        ])
        return answer("error", fault, for: id)
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

extension JSON {
    /// In the stateless version, every result has this field.
    fileprivate var complete: JSON { adding("resultType", .text("complete")) }

    /// Clients may cache the result for an hour. It is the same for all users, and changes only with the version of Caret.
    fileprivate var cacheable: JSON {
        adding("ttlMs", .number(3_600_000)).adding("cacheScope", .text("public"))
    }

    private func adding(_ key: String, _ value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [(key: key, value: value)])
    }
}
