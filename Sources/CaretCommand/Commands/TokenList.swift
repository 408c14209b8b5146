import CaretClient
import CaretWire
import FoundationEssentials

/// Lists the tokens.
struct TokenList: Subcommand {
    static let description = CommandDescription(
        "token list",
        "lists the tokens: number, user, creation, end, last use, rights; never the tokens themselves",
        details: """
            The server records the last uses once an hour, and when it stops. So after a crash, the uses of the last hour \
            can be missing.
            """)

    init(_ arguments: Arguments) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        let tokens = try await context.withClient { client in
            try await TokenList.all(client) { .admin(.listTokens(ListTokens(after: $0, limit: $1))) }
        }
        TokenList.show(tokens, orIfEmpty: "there are no tokens; `caret token add` creates one", in: context)
        return .done
    }

    static func show(_ tokens: [TokenSummary], orIfEmpty empty: String, in context: CommandContext) {
        if context.isJSON {
            for token in tokens { context.show(token.json) }
            return
        }
        var table = Table(
            [
                .init("NUMBER", isNumber: true), .init("USER"), .init("CREATED"), .init("EXPIRES"),
                .init("LAST USE"), .init("RIGHTS"),
            ], flexible: 5)
        for token in tokens {
            switch token.state {
            case .damaged: table.add(["\(token.number)", "", "", "", "", "damaged: cannot be used"])
            case .sound(let details): table.add(["\(token.number)"] + fields(of: details, in: context))
            }
        }
        context.show(table, orIfEmpty: empty)
    }

    private static func fields(of token: TokenDetails, in context: CommandContext) -> [String] {
        let stamp = { (time: Int) in context.stamp(Date(milliseconds: time)) }
        let end = token.expires.map { time in
            (Date(milliseconds: time) <= .now ? "ended " : "") + stamp(time)
        }
        return [
            token.user.string, stamp(token.created), end ?? "never", token.lastUse.map(stamp) ?? "never",
            token.grants.map(\.words).joined(separator: " "),
        ]
    }

    /// All tokens, page by page. `request` gets the number after which a page begins, and its limit.
    static func all(
        _ client: LiveClient, _ request: (Int?, Int) -> ClientMessage
    ) async throws -> [TokenSummary] {
        var tokens: [TokenSummary] = []
        while true {
            let next = request(tokens.last?.number, Limits.items.upperBound)
            guard case .admin(.tokens(let page)) = try await client.request(next) else {
                throw Failure.unexpectedAnswer
            }
            tokens += page.tokens
            if !page.hasMore || page.tokens.isEmpty { return tokens }
        }
    }
}

extension TokenSummary {
    fileprivate var json: JSON {
        switch state {
        case .damaged: return .object(["number": .number(number), "damaged": .bool(true)])
        case .sound(let token):
            return .object([
                "number": .number(number), "user": .text(token.user.string),
                "created": .text(Stamp.universal(Date(milliseconds: token.created))),
                "expires": JSON(token.expires), "last_use": JSON(token.lastUse),
                "grants": .list(token.grants.map(\.json)),
            ])
        }
    }
}

extension WireGrant {
    /// The rights in the notation of `token add`.
    var words: String { "\(rights.rawValue):\(scope.words)" }

    var json: JSON {
        switch scope {
        case .document(let name): .object(["rights": .text(rights.rawValue), "doc": .text(name.string)])
        case .prefix(let prefix): .object(["rights": .text(rights.rawValue), "prefix": .text(prefix.string)])
        }
    }
}

extension WireGrant.Scope {
    /// The scope as an argument of `token add`.
    var words: String {
        switch self {
        case .document(let name): "=\(name.string)"
        case .prefix(let prefix): prefix.string
        }
    }
}
