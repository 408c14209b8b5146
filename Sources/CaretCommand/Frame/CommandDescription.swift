/// The name, arguments and options of a subcommand. The parser, help, the manual and completion use it.
package struct CommandDescription: Sendable {
    /// One word, or two words of a family, as in `token add`.
    package let name: String
    /// What the subcommand does, in half a line, without a full stop.
    package let summary: String
    /// Details about the subcommand, in whole sentences.
    let details: String
    package let arguments: [Argument]
    package let options: [Option]

    init(
        _ name: String, _ summary: String, details: String = "", arguments: [Argument] = [],
        options: [Option] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.options = options
    }

    package var words: [String] { name.split(separator: " ").map(String.init) }

    /// `caret put DOC [FILE] [options]`.
    package var usage: String {
        (["caret", name] + arguments.map(\.usage) + (options.isEmpty ? [] : ["[options]"]))
            .joined(separator: " ")
    }
}
