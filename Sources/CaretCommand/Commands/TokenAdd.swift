import CaretClient
import CaretWire
import FoundationEssentials

/// Creates a token.
struct TokenAdd: Subcommand {
    private static let rights = GrantOptions(
        admin: "may administer documents whose names begin with PREFIX; '' gives all rights, also over tokens"
    )

    private static let expires = Option(
        "expires", value: "WHEN",
        "ends the token at this time: 12h, 30d or 4w from now, or 2026-12-31; default: never")

    static let description = CommandDescription(
        "token add", "creates a token for a user, and prints it",
        details: """
            The token is printed only once and stored nowhere. The PREFIX '' stands for all documents. --read, --write and \
            --admin can be given several times. A date means the beginning of that day, in local time.
            """,
        arguments: [Argument("USER", .other, "the user name that others see")],
        options: rights.all + [expires])

    private let user: String
    private let grants: [WireGrant]
    /// When the token ends, in milliseconds; nil for never.
    private let expires: Int?

    init(_ arguments: Arguments) throws(UsageFault) {
        user = arguments.required(0)
        expires = try TokenAdd.end(in: arguments)
        grants = try TokenAdd.rights.grants(in: arguments)
    }

    private static func end(in arguments: Arguments) throws(UsageFault) -> Int? {
        guard let text = arguments.text(expires) else { return nil }
        guard let date = WrittenDeadline(text)?.date(after: .now) else {
            throw arguments.fault(
                .badValue(expires.flag, found: text, expected: WrittenDeadline.expected))
        }
        return date.milliseconds
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let added = try await context.withClient(about: user) { client in
            let adding = AddToken(user: WireString(user), grants: grants, expires: expires)
            let answer = try await client.request(.admin(.addToken(adding)))
            guard case .admin(.tokenAdded(let added)) = answer else { throw Failure.unexpectedAnswer }
            return added
        }
        if context.isJSON {
            context.show(
                .object([
                    "number": .number(added.number), "user": .text(user), "token": .text(added.token.string),
                    "expires": JSON(expires),
                ]))
        } else {
            context.output.write(context.shown(name: added.token.string) + "\n")
        }
        return .done
    }
}

extension Failure {
    static let unexpectedAnswer = Failure("the server sent an unexpected answer", code: .unreachable)
}
