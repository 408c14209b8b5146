import CaretConfig

/// A JSON value for programs, on one line.
enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case text(String)
    case list([JSON])
    case object([(key: String, value: JSON)])

    /// The number, or null.
    init(_ number: Int?) { self = number.map { .number($0) } ?? .null }

    static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(members.map { (key: $0.key, value: $0.value) })
    }

    var line: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): "\(number)"
        case .text(let text): text.quoted
        case .list(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\($0.key.quoted):\($0.value.line)" }.joined(separator: ",") + "}"
        }
    }
}
