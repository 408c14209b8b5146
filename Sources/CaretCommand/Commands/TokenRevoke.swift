import CaretClient
import CaretWire

/// Revokes a token.
struct TokenRevoke: Subcommand {
    static let description = CommandDescription(
        "token revoke", "revokes a token, and disconnects the clients that use it",
        arguments: [Argument("NUMBER", .other, "the number of the token: see `caret token list`")])

    private let number: Int

    init(_ arguments: Arguments) throws(UsageFault) {
        guard let number = Int(arguments.required(0)), 1...Limits.integer ~= number else {
            throw arguments.fault(
                .badValue("NUMBER", found: arguments.required(0), expected: "a number from 1"))
        }
        self.number = number
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: "token \(number)") { client in
            do {
                let answer = try await client.request(.admin(.revokeToken(RevokeToken(number: number))))
                guard case .done = answer else { throw Failure.unexpectedAnswer }
            } catch let refusal as ServerRefusal where refusal.code == .notFound {
                throw Failure("\(refusal)", advice: "`caret token list` shows the numbers")
            }
        }
        if context.isJSON {
            context.show(.object(["number": .number(number), "revoked": .bool(true)]))
        } else {
            context.output.write("token \(number) is revoked\n")
        }
        return .done
    }
}
