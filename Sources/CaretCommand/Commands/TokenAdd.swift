import CaretClient
import CaretWire

/// Makes a token.
struct TokenAdd: Subcommand {
    private static func option(_ rights: GrantedRights, _ summary: String) -> Option {
        Option(rights.rawValue, value: "PREFIX", isRepeatable: true, summary)
    }

    private static let options: [(rights: GrantedRights, option: Option)] = [
        (.read, option(.read, "may read what begins so; =NAME is one document alone")),
        (.write, option(.write, "may read and change it")),
        (.admin, option(.admin, "may administer it, and with '' everything, tokens too")),
    ]

    static let description = CommandDescription(
        "token add", "makes a token for a user, and prints it",
        details: """
            The token is printed this once, and kept nowhere. '' is the prefix of all documents. Each option may stand \
            several times.
            """,
        arguments: [Argument("USER", .other, "whom others see")], options: options.map(\.option))

    private let user: String
    private let grants: [WireGrant]

    init(_ given: Given) throws(UsageFault) {
        user = given.argument(0)
        grants = TokenAdd.options.flatMap { rights, option in
            given.texts(option).map { WireGrant(rights, to: WireGrant.Scope(written: $0)) }
        }
        if grants.isEmpty {
            let flags = TokenAdd.options.map(\.option.flag).joined(separator: ", ")
            throw given.fault(.missingArgument("one of \(flags)"))
        }
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let added = try await stage.reach(about: user) { client in
            let answer = try await client.request(
                .admin(.addToken(AddToken(user: WireString(user), grants: grants))))
            guard case .admin(.tokenAdded(let added)) = answer else { throw Failure.unexpectedAnswer }
            return added
        }
        if stage.isJSON {
            stage.show(
                .object([
                    "number": .number(added.number), "user": .text(user), "token": .text(added.token.string),
                ]))
        } else {
            stage.output.write(stage.shown(name: added.token.string) + "\n")
        }
        return .done
    }
}

extension Failure {
    static let unexpectedAnswer = Failure("the server gave the answer to another request", code: .unreachable)
}

extension WireGrant.Scope {
    /// `=` in front of a name means that document alone.
    fileprivate init(written text: String) {
        if text.utf8.first == UInt8(ascii: "=") {
            self = .document(WireString(String(text.dropFirst())))
        } else {
            self = .prefix(WireString(text))
        }
    }
}
