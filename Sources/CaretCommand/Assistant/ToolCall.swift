import CaretConfig
import FoundationEssentials

/// What an assistant asks for: a tool with its arguments.
package enum ToolCall: Equatable, Sendable {
    case list(prefix: String)
    case read(name: String, revision: Int?)
    case edit(name: String, old: String, new: String)
    case write(name: String, text: String, base: Int?, creates: Bool)
    case wait(name: String, after: Int, seconds: Int)

    /// The longest that `wait_for_changes` waits.
    static let mostSeconds = 300
    private static let usualSeconds = 60

    private struct Request<Arguments: Decodable>: Decodable {
        struct Parameters: Decodable { let arguments: Arguments }
        let params: Parameters
    }

    private struct Name: Decodable {
        struct Parameters: Decodable { let name: String }
        let params: Parameters
    }

    private struct ListArguments: Decodable { let prefix: String? }

    private struct ReadArguments: Decodable {
        let name: String
        let revision: Int?
    }

    private struct EditArguments: Decodable {
        let name: String
        let oldText: String
        let newText: String

        enum CodingKeys: String, CodingKey {
            case name
            case oldText = "old_text"
            case newText = "new_text"
        }
    }

    private struct WriteArguments: Decodable {
        let name: String
        let text: String
        let base: Int?
        let create: Bool?

        enum CodingKeys: String, CodingKey {
            case name, text, create
            case base = "base_revision"
        }
    }

    private struct WaitArguments: Decodable {
        let name: String
        let after: Int
        let seconds: Int?

        enum CodingKeys: String, CodingKey {
            case name
            case after = "after_revision"
            case seconds = "timeout_seconds"
        }
    }

    /// The call in a request `tools/call`.
    static func read(_ line: Data) throws -> ToolCall {
        let name = try JSONDecoder().decode(Name.self, from: line).params.name
        switch name {
        case "list_documents":
            // This tool needs no arguments, so a program may leave them out.
            let arguments = try? arguments(of: ListArguments.self, in: line)
            return .list(prefix: arguments?.prefix ?? "")
        case "read_document":
            let arguments = try arguments(of: ReadArguments.self, in: line)
            return .read(name: arguments.name, revision: arguments.revision)
        case "edit_document":
            let arguments = try arguments(of: EditArguments.self, in: line)
            return .edit(name: arguments.name, old: arguments.oldText, new: arguments.newText)
        case "write_document":
            let arguments = try arguments(of: WriteArguments.self, in: line)
            return .write(
                name: arguments.name, text: arguments.text, base: arguments.base,
                creates: arguments.create ?? false)
        case "wait_for_changes":
            let arguments = try arguments(of: WaitArguments.self, in: line)
            let seconds = arguments.seconds ?? usualSeconds
            guard (1...mostSeconds).contains(seconds) else {
                throw RPCFault.badParameters(
                    "timeout_seconds is \(seconds), and must be from 1 to \(mostSeconds)")
            }
            return .wait(name: arguments.name, after: arguments.after, seconds: seconds)
        default: throw RPCFault.badParameters("there is no tool \(name.quoted)")
        }
    }

    private static func arguments<Arguments: Decodable>(
        of type: Arguments.Type, in line: Data
    ) throws -> Arguments {
        try JSONDecoder().decode(Request<Arguments>.self, from: line).params.arguments
    }
}

/// The answer to a `ToolCall`: texts for the assistant, and whether the call failed.
package struct ToolResult: Equatable, Sendable {
    package let texts: [String]
    package let isError: Bool

    package init(_ texts: String..., isError: Bool = false) { (self.texts, self.isError) = (texts, isError) }

    var json: JSON {
        .object([
            "content": .list(texts.map { .object(["type": .text("text"), "text": .text($0)]) }),
            "isError": .bool(isError),
        ])
    }
}
