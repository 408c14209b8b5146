/// The description of a positional argument.
package struct Argument: Sendable {
    /// What a shell offers as completions of the argument.
    enum Kind: Equatable, Sendable {
        case document
        case file
        case folder
        case words([String])
        case other
    }

    let name: String
    let kind: Kind
    package let isOptional: Bool
    let summary: String

    init(_ name: String, _ kind: Kind, isOptional: Bool = false, _ summary: String) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.summary = summary
    }

    var usage: String { isOptional ? "[\(name)]" : name }
}
