/// What there is to do, and how.
struct Help: Subcommand {
    private static let markdown = Option("markdown", "prints the whole manual, docs/cli.md")
    private static let man = Option("man", "prints the page for man; of the server where caretd is said")

    static let description = CommandDescription(
        "help", "what there is, or what a subcommand does and takes",
        details: "It ends with "
            + ExitCode.allCases.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: "; ") + ".",
        arguments: [
            Argument("SUBCOMMAND", .other, isOptional: true, "its name"),
            Argument("WORD", .other, isOptional: true, "the second word of its name"),
        ], options: [markdown, man])

    private let text: String

    init(_ given: Given) throws(UsageFault) {
        if given.has(Help.markdown) {
            text = ManualPage.text
        } else if given.has(Help.man), given.arguments.isEmpty {
            text = ManPage.caret
        } else if given.has(Help.man), given.arguments == ["caretd"] {
            text = ManPage.caretd
        } else if given.arguments.isEmpty {
            text = HelpPage.overview
        } else if let (type, count) = CommandList.command(in: given.arguments), count == given.arguments.count
        {
            text = HelpPage.text(of: type.description)
        } else {
            text = try Help.family(given)
        }
    }

    /// What begins with this word.
    private static func family(_ given: Given) throws(UsageFault) -> String {
        let name = given.arguments.joined(separator: " ")
        let members = CommandList.descriptions.filter { $0.words.first == name }
        if members.isEmpty { throw UsageFault(.unknownCommand(name, closest: nil)) }
        return members.map { HelpPage.text(of: $0) }.joined(separator: "\n")
    }

    func run(on stage: Stage) async -> ExitCode {
        stage.output.write(text)
        return .done
    }
}
