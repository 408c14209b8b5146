/// Prints what makes a shell complete subcommands, options and the names of documents.
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

    init(_ given: Given) throws(UsageFault) {
        guard let script = CompletionScript(rawValue: given.argument(0)) else {
            let allowed = CompletionScript.allCases.map(\.rawValue).joined(separator: ", ")
            throw given.fault(.badValue("SHELL", found: given.argument(0), allowed: allowed))
        }
        self.script = script
    }

    func run(on stage: Stage) async -> ExitCode {
        stage.output.write(script.text)
        return .done
    }
}
