/// Prints a completion script for a shell.
struct Completion: Subcommand {
    static let description = CommandDescription(
        "completion", "prints a script that completes subcommands, options and document names in a shell",
        details: """
            For bash: `eval "$(caret completion bash)"`. For zsh: write the output of `caret completion zsh` to a file _caret \
            in a folder of fpath. For fish: pipe the output of `caret completion fish` to `source`.
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
