/// What a subcommand is called and takes: parsing, help, the manual page and completion are made from it.
package struct CommandDescription: Sendable {
    /// One word, or two of a family: `token add`.
    package let name: String
    /// What it does, in half a line.
    package let summary: String
    /// What else must be known, in whole sentences.
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
