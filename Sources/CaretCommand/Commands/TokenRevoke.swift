import CaretClient
import CaretWire

/// Makes a token good for nothing.
struct TokenRevoke: Subcommand {
    static let description = CommandDescription(
        "token revoke", "makes a token good for nothing; who came with it is sent away at once",
        arguments: [Argument("NUMBER", .other, "which one, as caret token list has it")])

    private let number: Int

    init(_ given: Given) throws(UsageFault) {
        guard let number = Int(given.argument(0)), 1...Limits.integer ~= number else {
            throw given.fault(
                .badValue("NUMBER", found: given.argument(0), allowed: "a number from 1"))
        }
        self.number = number
    }

    func run(on stage: Stage) async throws -> ExitCode {
        try await stage.reach(about: "token \(number)") { client in
            do {
                let answer = try await client.request(.admin(.revokeToken(RevokeToken(number: number))))
                guard case .done = answer else { throw Failure.unexpectedAnswer }
            } catch let refusal as ServerRefusal where refusal.code == .notFound {
                throw Failure("\(refusal)", advice: "caret token list tells the numbers")
            }
        }
        if stage.isJSON {
            stage.show(.object(["number": .number(number), "revoked": .bool(true)]))
        } else {
            stage.output.write("token \(number) is revoked\n")
        }
        return .done
    }
}
