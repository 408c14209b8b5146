/// Prints help, the manual and the pages for `man`.
struct Help: Subcommand {
    private static let markdown = Option("markdown", "prints the whole manual, docs/cli.md")
    private static let man = Option(
        "man", "prints the page for man; with the argument caretd, prints the page of the server")

    static let description = CommandDescription(
        "help", "prints the list of subcommands, or the help of one",
        details: "Exit codes: "
            + ExitCode.allCases.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: ". ") + ".",
        arguments: [
            Argument("SUBCOMMAND", .other, isOptional: true, "the name of a subcommand"),
            Argument("WORD", .other, isOptional: true, "the second word of the subcommand's name"),
        ], options: [markdown, man])

    private let text: String

    init(_ arguments: Arguments) throws(UsageFault) {
        if arguments.has(Help.markdown) {
            text = MarkdownManual.text
        } else if arguments.has(Help.man), arguments.positional.isEmpty {
            text = ManPage.caret
        } else if arguments.has(Help.man), arguments.positional == ["caretd"] {
            text = ManPage.caretd
        } else if arguments.positional.isEmpty {
            text = HelpPage.overview
        } else if let (type, count) = CommandList.command(in: arguments.positional),
            count == arguments.positional.count
        {
            text = HelpPage.text(of: type.description)
        } else {
            text = try Help.family(arguments)
        }
    }

    /// The help of all subcommands whose names begin with this word.
    private static func family(_ arguments: Arguments) throws(UsageFault) -> String {
        let name = arguments.positional.joined(separator: " ")
        let members = CommandList.descriptions.filter { $0.words.first == name }
        if members.isEmpty { throw UsageFault(.unknownCommand(name, closest: nil)) }
        return members.map { HelpPage.text(of: $0) }.joined(separator: "\n")
    }

    func run(in context: CommandContext) async -> ExitCode {
        context.output.write(text)
        return .done
    }
}
