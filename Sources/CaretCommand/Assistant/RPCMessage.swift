import CaretConfig
import FoundationEssentials

/// The id of a request in JSON-RPC 2.0: a number or a text.
package enum RPCID: Hashable, Sendable, Decodable {
    case number(Int)
    case text(String)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    var json: JSON {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        }
    }
}

/// Why a message was not accepted, with the code that JSON-RPC 2.0 gives to the reason.
struct RPCFault: Error {
    let code: Int
    let message: String

    static func parse(_ message: String) -> RPCFault { RPCFault(code: -32700, message: message) }
    static func invalid(_ message: String) -> RPCFault { RPCFault(code: -32600, message: message) }
    static func noMethod(_ name: String) -> RPCFault {
        RPCFault(code: -32601, message: "there is no method \(name.quoted)")
    }
    static func badParameters(_ message: String) -> RPCFault { RPCFault(code: -32602, message: message) }
}

/// A message of JSON-RPC 2.0 from the assistant's program: a request, or a notification without an id.
struct RPCMessage: Decodable {
    let jsonrpc: String
    let id: RPCID?
    let method: String?

    static func result(_ result: JSON, for id: RPCID) -> JSON {
        .object(["jsonrpc": .text("2.0"), "id": id.json, "result": result])
    }

    static func fault(_ fault: RPCFault, for id: RPCID?) -> JSON {
        let error = JSON.object(["code": .number(fault.code), "message": .text(fault.message)])
        return .object(["jsonrpc": .text("2.0"), "id": id?.json ?? .null, "error": error])
    }
}

extension DecodingError {
    /// Which value is wrong, in words that a program's author can act on.
    var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            "\(Self.place(context.codingPath)) must be \(Self.name(of: type))"
        case .dataCorrupted(let context): "\(Self.place(context.codingPath)): \(context.debugDescription)"
        @unknown default: "\(self)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the message" : path.map(\.stringValue).joined(separator: ".")
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Int.Type: "a whole number"
        case is Bool.Type: "true or false"
        default: "an object"
        }
    }
}
