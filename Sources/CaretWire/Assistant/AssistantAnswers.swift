/// The answers to messages of the Model Context Protocol, on standard input and over HTTP.
package struct AssistantAnswers: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case answer([UInt8])
        /// Run the tool, and pass its result to `answer(to:with:)`.
        case call(ToolCall, CalledTool)
    }

    /// A call of a tool: its id, and the form of its answer.
    package struct CalledTool: Equatable, Sendable {
        package let id: RequestID
        /// In the stateless version, every result has a further field.
        package let isStateless: Bool
    }

    /// The versions that begin with `initialize`, newest first.
    package static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// In this version, every request contains the version number, and there is no `initialize`.
    package static let statelessVersion = "2026-07-28"

    private static let instructions: WireString = """
        Documents are edited by several people and programs at the same time. Everybody sees who has changed what, and \
        where. Read a document before you change it. Prefer edit_document. If an answer says that the text \
        was changed meanwhile, read the document again.
        """

    /// The version of Caret.
    private let caretVersion: WireString

    package init(caretVersion: String) { self.caretVersion = WireString(caretVersion) }

    /// What answers a message. Nil if it needs no answer.
    package func step(for message: AssistantMessage) throws(RPCFault) -> Step? {
        guard let id = message.id else { return nil }
        if let version = message.version, version.string != Self.statelessVersion {
            throw RPCFault(
                .unsupportedVersion,
                "this server does not speak the version \(version.string) of the protocol",
                id: id, requested: version)
        }
        let isStateless = message.version != nil
        switch message.content {
        case .initialize(let version): return .answer(result(of: id) { welcome(version.string, &$0) })
        case .discover: return .answer(result(of: id, discover))
        case .ping: return .answer(result(of: id) { _ in })
        case .listTools:
            return .answer(
                result(of: id) { writer in
                    ToolList.write(to: &writer)
                    if isStateless { complete(&writer, isForAll: true) }
                })
        case .call(let call): return .call(call, CalledTool(id: id, isStateless: isStateless))
        // As the result of a tool, because programs show results to the assistant, and errors of the protocol to nobody.
        case .badArguments(let reason):
            let result = ToolResult(reason, isError: true)
            return .answer(answer(to: CalledTool(id: id, isStateless: isStateless), with: result))
        // The server asks nothing, so it expects no answers.
        case .cancelled, .other: return nil
        }
    }

    package func answer(to tool: CalledTool, with toolResult: ToolResult) -> [UInt8] {
        result(of: tool.id) { writer in
            toolResult.write(to: &writer)
            if tool.isStateless { complete(&writer, isForAll: false) }
        }
    }

    package func answer(to fault: RPCFault) -> [UInt8] {
        message(fault.id) { writer in
            writer.key("error")
            writer.beginObject()
            writer.member("code", fault.code.rawValue)
            writer.member("message", WireString(fault.message))
            if let requested = fault.requested {
                writer.key("data")
                writer.beginObject()
                writer.member("supported", Self.allVersions) { $0.value(WireString($1)) }
                writer.member("requested", requested)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private static let allVersions = [statelessVersion] + versions

    private func welcome(_ asked: String, _ writer: inout JSONWriter) {
        let isKnown = Self.versions.contains(asked)
        writer.member("protocolVersion", WireString(isKnown ? asked : Self.versions[0]))
        capabilities(&writer)
        writer.key("serverInfo")
        server(&writer)
        writer.member("instructions", Self.instructions)
    }

    private func discover(_ writer: inout JSONWriter) {
        writer.member("supportedVersions", Self.allVersions) { $0.value(WireString($1)) }
        capabilities(&writer)
        writer.member("instructions", Self.instructions)
        writer.key("_meta")
        writer.beginObject()
        writer.key("io.modelcontextprotocol/serverInfo")
        server(&writer)
        writer.endObject()
        complete(&writer, isForAll: true)
    }

    private func capabilities(_ writer: inout JSONWriter) {
        writer.key("capabilities")
        writer.beginObject()
        writer.key("tools")
        writer.beginObject()
        writer.endObject()
        writer.endObject()
    }

    private func server(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", "caret" as WireString)
        writer.member("title", "Caret" as WireString)
        writer.member("version", caretVersion)
        writer.endObject()
    }

    /// Ends a result of the stateless version. Clients may cache a result for all users for an hour: it changes only with
    /// the version of Caret.
    private func complete(_ writer: inout JSONWriter, isForAll: Bool) {
        writer.member("resultType", "complete" as WireString)
        if isForAll {
            writer.member("ttlMs", 3_600_000)
            writer.member("cacheScope", "public" as WireString)
        }
    }

    private func result(of id: RequestID, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        message(id) { writer in
            writer.key("result")
            writer.beginObject()
            members(&writer)
            writer.endObject()
        }
    }

    private func message(_ id: RequestID?, _ content: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0" as WireString)
        if let id {
            writer.member("id", id)
        } else {
            writer.key("id")
            writer.json(Array("null".utf8))
        }
        content(&writer)
        writer.endObject()
        return writer.bytes
    }
}
