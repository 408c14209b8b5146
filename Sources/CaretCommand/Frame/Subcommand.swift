/// A subcommand of `caret`: a value made from the arguments, which then runs.
package protocol Subcommand: Sendable {
    static var description: CommandDescription { get }

    init(_ arguments: Arguments) throws(UsageFault)

    /// Runs the subcommand. Throws on failure. Returns `.negative` if the subcommand worked, but found nothing
    /// or found damage.
    func run(in context: CommandContext) async throws -> ExitCode
}
