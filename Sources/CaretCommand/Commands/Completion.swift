/// Prints a completion script for a shell.
struct Completion: Subcommand {
    static let description = CommandDescription(
        "completion", "prints what makes a shell complete subcommands, options and names of documents",
        details: """
            For bash: eval "$(caret completion bash)". For zsh: caret completion zsh into a file _caret of the fpath. \
            For fish: caret completion fish | source.
            """,
        arguments: [
            Argument("SHELL", .words(CompletionScript.allCases.map(\.rawValue)), "bash, zsh or fish")
        ])

    private let script: CompletionScript

    init(_ arguments: Arguments) throws(UsageFault) {
        guard let script = CompletionScript(rawValue: arguments.required(0)) else {
            let allowed = CompletionScript.allCases.map(\.rawValue).joined(separator: ", ")
            throw arguments.fault(.badValue("SHELL", found: arguments.required(0), expected: allowed))
        }
        self.script = script
    }

    func run(in context: CommandContext) async -> ExitCode {
        context.output.write(script.text)
        return .done
    }
}
