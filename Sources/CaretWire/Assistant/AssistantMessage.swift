/// A message of the Model Context Protocol from the program of an assistant. The protocol is JSON-RPC 2.0, with one message
/// in each line of standard input, or in each request of HTTP.
package struct AssistantMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case initialize(version: WireString)
        case discover
        case ping
        case listTools
        case call(ToolCall)
        /// A call of a tool that exists, with arguments that it does not accept.
        case badArguments(reason: String)
        /// The assistant no longer wants the answer to this request.
        case cancelled(RequestID)
        /// An answer, or a notification that this version does not know.
        case other
    }

    /// Nil if the message expects no answer.
    package let id: RequestID?
    /// The version of the protocol in the request. Nil before version 2026-07-28, where only `initialize` contains the
    /// version.
    package let version: WireString?
    /// The method. Nil if the message is an answer.
    package let method: WireString?
    /// The tool that a request names, whether it exists or not.
    package let tool: WireString?
    package let content: Content

    /// Decodes a line, which has no line end.
    package init(_ line: [UInt8]) throws(RPCFault) {
        self = try Fields.decode(line, orThrow: RPCFault.unreadable) { fields throws(RPCFault) in
            try AssistantMessage(fields)
        }
    }

    private init(_ fields: Fields) throws(RPCFault) {
        let method: JSONString?
        do throws(FieldFault) {
            id = try fields.id()
            guard try fields.string("jsonrpc") == "2.0" else {
                throw fields.fault("jsonrpc", "must be \"2.0\"")
            }
            method = try fields.value(optional: "method").map { value throws(FieldFault) in
                guard value.kind == .string else {
                    throw FieldFault.wrong(value, expected: "a string").inside("method")
                }
                return value.string
            }
        } catch {
            throw RPCFault(.invalid, error.sentence, id: try? fields.id())
        }
        self.method = method.map { WireString(String(decoding: $0.raw, as: UTF8.self)) }
        guard let method, id != nil else {
            content = method.map { Content(notification: $0, fields) } ?? .other
            (version, tool) = (nil, nil)
            return
        }
        version = try AssistantMessage.version(in: fields, of: id)
        if let version, version.string != AssistantAnswers.statelessVersion {
            // Its messages may have any form.
            (tool, content) = (nil, .other)
            return
        }
        tool =
            method.equals("tools/call")
            ? try? fields.object("params") { fields throws(FieldFault) in try fields.string("name") } : nil
        content = try Content(request: method, fields, id: id, isStateless: version != nil)
    }

    private static func version(in fields: Fields, of id: RequestID?) throws(RPCFault) -> WireString? {
        guard fields.value(optional: "params")?.kind == .object else { return nil }
        do throws(FieldFault) {
            return try fields.object("params", version)
        } catch {
            throw RPCFault(.badParameters, error.sentence, id: id)
        }
    }

    private static func version(in parameters: Fields) throws(FieldFault) -> WireString? {
        guard parameters.value(optional: "_meta")?.kind == .object else { return nil }
        return try parameters.object("_meta") { meta throws(FieldFault) in
            let version = try meta.string(optional: "io.modelcontextprotocol/protocolVersion")
            if version?.string == AssistantAnswers.statelessVersion {
                try meta.object("io.modelcontextprotocol/clientCapabilities") { _ in }
            }
            return version
        }
    }
}

extension AssistantMessage.Content {
    fileprivate init(notification method: JSONString, _ fields: Fields) {
        guard method.equals("notifications/cancelled"),
            let id = try? fields.object(
                "params", { fields throws(FieldFault) in try RequestID(fields.value("requestId")) })
        else {
            self = .other
            return
        }
        self = .cancelled(id)
    }

    fileprivate init(
        request method: JSONString, _ fields: Fields, id: RequestID?, isStateless: Bool
    ) throws(RPCFault) {
        let known: Self?
        do throws(FieldFault) {
            let common = try Self(ofAnyVersion: method, fields)
            known = if common == nil { try Self(method, fields, isStateless: isStateless) } else { common }
        } catch {
            throw RPCFault(.badParameters, error.sentence, id: id)
        }
        guard let known else {
            throw RPCFault(.noMethod, "there is no method \"\(excerpt(of: method.raw))\"", id: id)
        }
        self = known
    }

    /// Reads a method that all versions have. Nil if it is another method.
    private init?(ofAnyVersion method: JSONString, _ fields: Fields) throws(FieldFault) {
        if method.equals("tools/call") {
            self = try fields.object("params", Self.init(call:))
        } else if method.equals("tools/list") {
            self = .listTools
        } else {
            return nil
        }
    }

    /// Nil if there is no such method.
    private init?(_ method: JSONString, _ fields: Fields, isStateless: Bool) throws(FieldFault) {
        if isStateless {
            guard method.equals("server/discover") else { return nil }
            self = .discover
        } else if method.equals("initialize") {
            let version = try fields.object("params") { fields throws(FieldFault) in
                try fields.string("protocolVersion")
            }
            self = .initialize(version: version)
        } else if method.equals("ping") {
            self = .ping
        } else {
            return nil
        }
    }

    private init(call parameters: Fields) throws(FieldFault) {
        do throws(FieldFault) {
            self = .call(try ToolCall(parameters))
        } catch {
            guard error.field.hasPrefix("arguments") else { throw error }
            self = .badArguments(reason: error.sentence)
        }
    }
}

/// Why a message was refused.
package struct RPCFault: Error, Equatable, Sendable {
    /// The codes that JSON-RPC 2.0 defines, and two of the Model Context Protocol.
    package enum Code: Int, Sendable {
        case parse = -32700
        case invalid = -32600
        case noMethod = -32601
        case badParameters = -32602
        /// A field of the HTTP request does not fit the message.
        case headerMismatch = -32020
        case unsupportedVersion = -32022
    }

    package let code: Code
    package let message: String
    /// The id of the refused request; nil if it is unknown.
    package let id: RequestID?
    /// The version of the protocol that was refused.
    let requested: WireString?

    package init(_ code: Code, _ message: String, id: RequestID? = nil, requested: WireString? = nil) {
        self.code = code
        self.message = message
        self.id = id
        self.requested = requested
    }

    /// The fault of a line that is no JSON object.
    fileprivate static func unreadable(_ message: String) -> RPCFault { RPCFault(.parse, message) }
}

extension FieldFault {
    fileprivate var sentence: String { "\(field) \(problem)" }
}

extension Fields {
    /// An object inside this object. Assistants send null for an argument that they leave out.
    func object<Value>(
        _ name: StaticString, _ body: (Fields) throws(FieldFault) -> Value
    ) throws(FieldFault) -> Value {
        try read(name, value(name)) { value throws(FieldFault) in
            try body(Fields(value, limits: limits, ignoresNull: true))
        }
    }
}
