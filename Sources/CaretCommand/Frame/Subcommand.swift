/// One thing that `caret` does: a value made of the command line, which is then run.
package protocol Subcommand: Sendable {
    static var description: CommandDescription { get }

    init(_ arguments: Arguments) throws(UsageFault)

    /// Does it. What went wrong is thrown; an answer that is no failure, and yet not a plain yes, is an exit code.
    func run(in context: CommandContext) async throws -> ExitCode
}
