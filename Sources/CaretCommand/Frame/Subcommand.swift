/// A subcommand of `caret`. `init` checks the arguments, and `run` does the work.
package protocol Subcommand: Sendable {
    static var description: CommandDescription { get }

    init(_ arguments: Arguments) throws(UsageFault)

    /// Runs the subcommand. Throws on failure. Returns `.negative` if the subcommand worked, but found
    /// nothing or found damage.
    func run(in context: CommandContext) async throws -> ExitCode
}
