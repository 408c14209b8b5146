import CaretClient
import CaretWire

/// Signs a user of an app out.
struct TokenSignOut: Subcommand {
    private static let id = Option(
        "id", value: "ID", "instead of a user: only the tokens with this id (jti)")

    static let description = CommandDescription(
        "token sign-out",
        "makes the signed tokens of a user invalid, and disconnects the clients that use them",
        details: """
            It affects the tokens that the backend of your app has signed so far; docs/sign-in.md describes them. A \
            token that it signs later signs the user in again. `caret token revoke` ends a stored token.
            """,
        arguments: [Argument("USER", .other, isOptional: true, "the user name that others see (sub)")],
        options: [id])

    private let request: SignOutRequest
    private let subject: String

    init(_ arguments: Arguments) throws(UsageFault) {
        switch (arguments.optional(0), arguments.text(TokenSignOut.id)) {
        case (let user?, nil):
            (subject, request) = (user, SignOutRequest(user: WireString(user)))
        case (nil, let id?):
            (subject, request) = ("token \(id)", SignOutRequest(jti: WireString(id)))
        case (nil, nil): throw arguments.fault(.missingArgument("USER"))
        case (_?, _?): throw arguments.fault(.conflict("USER", TokenSignOut.id.flag))
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: subject) { client in
            guard case .done = try await client.request(.admin(.signOut(request))) else {
                throw Failure.unexpectedAnswer
            }
        }
        if context.isJSON {
            context.show(
                .object([
                    "user": request.user.map { .text($0.string) } ?? .null,
                    "jti": request.jti.map { .text($0.string) } ?? .null, "signed_out": .bool(true),
                ]))
        } else {
            context.output.write("\(context.shown(name: subject)) is signed out\n")
        }
        return .done
    }
}
