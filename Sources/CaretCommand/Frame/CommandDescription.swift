/// What a subcommand is called and takes: parsing, help, the manual page and completion are made from it.
struct CommandDescription: Sendable {
    /// One word, or two of a family: `token add`.
    let name: String
    /// What it does, in half a line.
    let summary: String
    /// What else must be known, in whole sentences.
    let details: String
    let arguments: [Argument]
    let options: [Option]

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

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// `caret put DOC [FILE] [options]`.
    var usage: String {
        (["caret", name] + arguments.map(\.usage) + (options.isEmpty ? [] : ["[options]"]))
            .joined(separator: " ")
    }
}
