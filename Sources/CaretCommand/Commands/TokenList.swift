import CaretClient
import CaretWire
import FoundationEssentials

/// Lists the tokens.
struct TokenList: Subcommand {
    static let description = CommandDescription(
        "token list", "lists the tokens: number, user, time of creation, rights; never the tokens themselves")

    init(_ arguments: Arguments) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        let tokens = try await context.withClient { try await all($0) }
        if context.isJSON {
            for token in tokens { context.show(token.json) }
            return .done
        }
        var table = Table(
            [.init("NUMBER", isNumber: true), .init("USER"), .init("CREATED"), .init("RIGHTS")], flexible: 3)
        for token in tokens {
            switch token.state {
            case .damaged: table.add(["\(token.number)", "", "", "damaged: cannot be used"])
            case .sound(let user, let created, let grants):
                table.add([
                    "\(token.number)", user.string, context.stamp(Date(milliseconds: created)),
                    grants.map(\.words).joined(separator: " "),
                ])
            }
        }
        if !tokens.isEmpty { context.show(table) }
        return .done
    }

    private func all(_ client: LiveClient) async throws -> [TokenSummary] {
        var tokens: [TokenSummary] = []
        while true {
            let request = ListTokens(after: tokens.last?.number, limit: Limits.items.upperBound)
            guard case .admin(.tokens(let page)) = try await client.request(.admin(.listTokens(request)))
            else {
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
        case .sound(let user, let created, let grants):
            return .object([
                "number": .number(number), "user": .text(user.string),
                "created": .text(Stamp.universal(Date(milliseconds: created))),
                "grants": .list(grants.map(\.json)),
            ])
        }
    }
}

extension WireGrant {
    /// The rights in the notation of `token add`.
    fileprivate var words: String {
        switch scope {
        case .document(let name): "\(rights.rawValue):=\(name.string)"
        case .prefix(let prefix): "\(rights.rawValue):\(prefix.string)"
        }
    }

    fileprivate var json: JSON {
        switch scope {
        case .document(let name): .object(["rights": .text(rights.rawValue), "doc": .text(name.string)])
        case .prefix(let prefix): .object(["rights": .text(rights.rawValue), "prefix": .text(prefix.string)])
        }
    }
}
