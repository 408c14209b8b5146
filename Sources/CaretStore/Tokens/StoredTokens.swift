import CaretFormat
package import CaretLog

extension SQLiteStore: TokenStore {
    package func addToken(
        of user: UserName, _ grants: Grants, expires: Int64?, at time: Int64,
        then completion: @escaping @Sendable (Result<TokenText, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            let table = TokenTable(database: writer.database)
            let text = try table.add(user, grants, expires: expires, at: time)
            return { completion(.success(text)) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func revokeToken(
        _ token: TokenID, then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            try TokenTable(database: writer.database).revoke(token)
            return { completion(.success(())) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func noteUses(
        _ uses: [TokenUse], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            for use in uses { try TokenTable(database: writer.database).note(use) }
            return { completion(.success(())) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func noteEnds(
        of tokens: [TokenID], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            for token in tokens { try TokenTable(database: writer.database).noteEnd(of: token) }
            return { completion(.success(())) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func live(
        _ tokens: [TokenID], then completion: @escaping @Sendable (Result<[TokenID], StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(StoreFault) in try TokenTable(database: reader.rows.database).live(tokens) },
            then: completion)
    }

    package func token(
        shown text: ByteString, then completion: @escaping @Sendable (Result<Token, StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(StoreFault) in try TokenTable(database: reader.rows.database).token(shown: text)
            },
            then: completion)
    }

    package func tokens(
        after: TokenID?, limit: Int, weighing weight: Int,
        then completion: @escaping @Sendable (Result<TokenListing, StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(StoreFault) in
                try TokenTable(database: reader.rows.database).list(
                    after: after, limit: limit, weighing: weight)
            }, then: completion)
    }
}
