/// A description of JSON, as far as the published schema of the Model Context Protocol needs it.
package indirect enum ProtocolShape: Sendable {
    case text
    case oneOf([String])
    case integer
    case flag
    case list(ProtocolShape)
    /// Keys that must be there, and keys that may be there. The schema would allow other keys in some places, but a
    /// misspelled optional key would then not be noticed.
    case object([String: ProtocolShape], optional: [String: ProtocolShape] = [:])
    /// An object whose values all have this shape.
    case map(ProtocolShape)

    /// Where a value has a different shape. Nil if it has this shape.
    package func problem(in value: Any?, at path: String = "message") -> String? {
        switch (self, value) {
        case (.text, is String), (.integer, is Int), (.flag, is Bool): return nil
        case (.oneOf(let words), let word as String) where words.contains(word): return nil
        case (.list(let shape), let values as [Any]):
            let problems = values.enumerated().lazy.compactMap { shape.problem(in: $1, at: "\(path)[\($0)]") }
            return problems.first
        case (.map(let shape), let values as [String: Any]):
            return values.lazy.compactMap { shape.problem(in: $1, at: "\(path).\($0)") }.first
        case (.object(let required, let optional), let values as [String: Any]):
            if let key = required.keys.first(where: { values[$0] == nil }) {
                return "\(path).\(key) is missing"
            }
            return values.lazy.compactMap { key, value in
                guard let shape = required[key] ?? optional[key] else { return "\(path).\(key) is unknown" }
                return shape.problem(in: value, at: "\(path).\(key)")
            }.first
        default: return "\(path) is \(value.map { "\($0)" } ?? "missing")"
        }
    }
}

/// What the schema demands of the messages to an assistant. Its versions from 2024-11-05 to 2025-11-25
/// differ only in keys that are optional.
extension ProtocolShape {
    package static func answer(to method: String) -> ProtocolShape {
        let results: [String: ProtocolShape] = [
            "initialize": initialized, "ping": .object([:]),
            "tools/list": toolList, "tools/call": toolResult,
        ]
        return .object([
            "jsonrpc": .oneOf(["2.0"]), "id": .integer, "result": results[method] ?? .object([:]),
        ])
    }

    package static let refusal = ProtocolShape.object([
        "jsonrpc": .oneOf(["2.0"]), "id": .integer, "error": .object(["code": .integer, "message": .text]),
    ])

    private static let initialized = ProtocolShape.object(
        [
            "protocolVersion": .text,
            "capabilities": .object([:], optional: ["tools": .object([:], optional: ["listChanged": .flag])]),
            "serverInfo": .object(["name": .text, "version": .text], optional: ["title": .text]),
        ], optional: ["instructions": .text])

    private static let toolList = ProtocolShape.object([
        "tools": .list(
            .object(
                [
                    "name": .text,
                    "inputSchema": .object(
                        ["type": .oneOf(["object"])],
                        optional: [
                            "properties": .map(
                                .object([
                                    "type": .oneOf(["string", "integer", "boolean"]), "description": .text,
                                ])),
                            "required": .list(.text), "additionalProperties": .flag,
                        ]),
                ],
                optional: [
                    "description": .text,
                    "annotations": .object([:], optional: ["readOnlyHint": .flag, "destructiveHint": .flag]),
                ]))
    ])

    private static let toolResult = ProtocolShape.object(
        ["content": .list(.object(["type": .oneOf(["text"]), "text": .text]))], optional: ["isError": .flag])
}
