import CaretConcurrency
import CaretFormat
package import CaretLog

extension PostgresStore: TokenStore {
    package func addToken(
        of user: UserName, _ grants: Grants, expires: Int64?, at time: Int64,
        then completion: @escaping @Sendable (Result<TokenText, StoreRefusal>) -> Void
    ) {
        write { writer throws(PostgresFault) in
            try TokenTable(connection: writer.connection).add(user, grants, expires: expires, at: time)
        } then: {
            completion($0.mapError(\.refusal))
        }
    }

    package func revokeToken(
        _ token: TokenID, then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(PostgresFault) in
            try TokenTable(connection: writer.connection).revoke(token)
        } then: { [self] in
            if case .success = $0 { tell(.revoked(token)) }
            completion($0.mapError(\.refusal))
        }
    }

    package func noteUses(
        _ uses: [TokenUse], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(PostgresFault) in
            try TokenTable(connection: writer.connection).note(uses)
        } then: {
            completion($0.mapError(\.refusal))
        }
    }

    package func noteEnds(
        of tokens: [TokenID], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(PostgresFault) in
            try TokenTable(connection: writer.connection).noteEnds(of: tokens)
        } then: {
            completion($0.mapError(\.refusal))
        }
    }

    package func token(
        shown text: ByteString, then completion: @escaping @Sendable (Result<Token, StoreRefusal>) -> Void
    ) {
        readTokens({ table throws(PostgresFault) in try table.token(shown: text) }, then: completion)
    }

    package func tokens(
        after: TokenID?, limit: Int, weighing weight: Int,
        then completion: @escaping @Sendable (Result<TokenListing, StoreRefusal>) -> Void
    ) {
        readTokens(
            { table throws(PostgresFault) in try table.list(after: after, limit: limit, weighing: weight) },
            then: completion)
    }

    package func live(
        _ tokens: [TokenID], then completion: @escaping @Sendable (Result<[TokenID], StoreRefusal>) -> Void
    ) {
        readTokens({ table throws(PostgresFault) in try table.live(tokens) }, then: completion)
    }

    private func readTokens<Answer>(
        _ body: @escaping @Sendable (TokenTable) throws(PostgresFault) -> Answer,
        then completion: @escaping @Sendable (Result<Answer, StoreRefusal>) -> Void
    ) {
        reads.async(as: .short) { readers in
            let answer = Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.run { connection throws(PostgresFault) in
                        try body(TokenTable(connection: connection))
                    }
                }
            }
            completion(answer.mapError(\.refusal))
        }
    }
}

extension PostgresRows {
    /// Runs `body` with the connection.
    func withConnection<Answer>(
        _ body: (PostgresConnection) throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        switch source {
        case .lane(let lane): try lane.run(body)
        case .transaction(let connection, _): try body(connection)
        }
    }
}
