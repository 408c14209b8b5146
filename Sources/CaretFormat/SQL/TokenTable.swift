import COpenSSL
package import CaretLog

/// Reads and writes the tokens through one connection. A call that throws a refusal has written nothing.
///
/// Use it only on the thread or queue of its connection.
package struct TokenTable<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    private let connection: Connection
    private var dialect: SQLDialect { Connection.dialect }

    package init(_ connection: Connection) { self.connection = connection }

    package func answer(to call: TokenCall) throws(Fault) -> TokenAnswer {
        switch call {
        case .add(let user, let grants, let expires, let time):
            return .added(.success(try add(nextToken(), user, grants, expires: expires, at: time)))
        case .addLink(let document, let name, let access, let expires, let time):
            let id = try nextToken()
            let grants = Grants(only: Grant(access, to: .document(name)))
            return .added(
                .success(try add(id, .ofLink(id, to: document), grants, expires: expires, at: time)))
        case .find(let text): return .found(.success(try token(shown: text)))
        case .list(let document, let after, let limit, let weight):
            return .listed(
                .success(try list(linksTo: document, after: after, limit: limit, weighing: weight)))
        case .revoke(let token, let document):
            let isLink = TokenTable.isLink(to: document)
            let values = [.integer(token.value)] + TokenTable.users(ofLinksTo: document)
            if try remove(where: "id = $1 \(isLink)", values) == 0 { throw .gone }
            return .revoked(nil)
        case .live(let tokens): return .live(.success(try live(tokens)))
        case .noteUses(let uses):
            try note(uses)
            return .noted(nil)
        case .noteEnds(let tokens):
            try noteEnds(of: tokens)
            return .noted(nil)
        case .signOut(let signOut, let oldest):
            try SignOutTable(connection: connection).add(signOut, forgettingBefore: oldest)
            return .noted(nil)
        case .signOuts(let after, let limit):
            return .signOuts(
                .success(try SignOutTable(connection: connection).page(after: after, limit: limit)))
        }
    }

    // MARK: Reading

    private func token(shown text: ByteString) throws(Fault) -> Token {
        let id = TokenText.token(in: text) ?? .unneeded
        let found = try connection.one(
            "SELECT \(TokenRow.columns(dialect)) FROM \(dialect.tokens) WHERE id = $1", .integer(id.value)
        ) { row throws(DamagedRow) in
            let found = try TokenRow(row, hasSums: dialect.hasSums)
            return TokenTable.isDigest(found.digest, of: text) ? try found.token(row) : nil
        }
        if found == nil {
            // Do the same work as for an existing row, so that the response time does not reveal whether the
            // token exists.
            _ = TokenRow.sum(of: [UInt8](repeating: 0, count: 96))
            _ = TokenTable.isDigest(Digest(.zero), of: text)
        }
        guard let token = found ?? nil else { throw .gone }
        return token
    }

    /// Compares in constant time.
    private static func isDigest(_ digest: Digest, of text: ByteString) -> Bool {
        let (known, shown) = (digest.bytes, SHA256.digest(of: text.utf8).bytes)
        return CRYPTO_memcmp(known, shown, known.count) == 0
    }

    private func item(_ row: SQLRow) throws(DamagedRow) -> TokenListing.Item {
        let id = TokenID(try row.integer(TokenRow.idColumn))
        do throws(DamagedRow) {
            let token = try TokenRow(row, hasSums: dialect.hasSums).token(row)
            return .sound(token, lastUse: try row.optionalInteger(TokenRow.usedColumn))
        } catch {
            return .damaged(id)
        }
    }

    package func list(
        linksTo document: DocumentID? = nil, after: TokenID?, limit: Int, weighing weight: Int
    ) throws(Fault) -> TokenListing {
        var (items, sum, hasMore): ([TokenListing.Item], Int, Bool) = ([], 0, false)
        let users = TokenTable.users(ofLinksTo: document)
        // One row more shows whether there are more.
        try connection.forEach(
            """
            SELECT \(TokenRow.columns(dialect)) FROM \(dialect.tokens)
            WHERE id > $1 \(TokenTable.isLink(to: document)) ORDER BY id LIMIT $\(users.count + 2)
            """, [.integer(after?.value ?? 0)] + users + [.count(max(0, limit) + 1)], read: item
        ) { item throws(Fault) in
            sum += item.weight
            hasMore = items.count >= limit || sum > weight && !items.isEmpty
            if !hasMore { items.append(item) }
            return !hasMore
        }
        return TokenListing(items: items, hasMore: hasMore)
    }

    /// A condition that is true for links to a document. Its parameters are `users(ofLinksTo:)`, after the first one of
    /// the statement. Without a document, it is true for all tokens.
    private static func isLink(to document: DocumentID?) -> String {
        let user = Connection.dialect.user
        return document == nil ? "" : "AND \(user) >= $2 AND \(user) < $3"
    }

    private static func users(ofLinksTo document: DocumentID?) -> [SQLValue] {
        guard let document else { return [] }
        let range = UserName.ofLinks(to: document)
        return [.bytes(range.lowerBound.utf8), .bytes(range.upperBound.utf8)]
    }

    private func live(_ tokens: [TokenID]) throws(Fault) -> [TokenID] {
        try connection.every(
            "SELECT id FROM token WHERE \(dialect.isOneOf("id", "$1"))", .integers(tokens.map(\.value))
        ) { row throws(DamagedRow) in TokenID(try row.integer(0)) }
    }

    // MARK: Writing

    private func nextToken() throws(Fault) -> TokenID {
        let number = try connection.one(dialect.nextToken) { row throws(DamagedRow) in try row.integer(0) }
        guard let number else { throw .damagedRow("the database has no number for a new token") }
        return TokenID(number)
    }

    /// The text contains the number, so the number comes first.
    private func add(
        _ id: TokenID, _ user: UserName, _ grants: Grants, expires: Int64?, at time: Int64
    ) throws(Fault) -> TokenText {
        // The secret comes from the system's source of randomness.
        let text = TokenText(id, secret: .random(in: .min ... .max))
        let bytes = GrantsFormat.encoded(grants)
        let row = TokenRow(
            id: id, user: user, digest: SHA256.digest(of: text.bytes.utf8), created: time,
            expires: expires, grants: bytes)
        try row.insert(with: bytes, into: connection)
        return text
    }

    /// Ends all links to a document.
    func removeLinks(to document: DocumentID) throws(Fault) {
        let users = TokenTable.users(ofLinksTo: document)
        try remove(where: "\(dialect.user) >= $1 AND \(dialect.user) < $2", users)
    }

    /// Returns how many tokens were removed. Reads none of them, so that a damaged token can be revoked too.
    @discardableResult
    private func remove(where condition: String, _ values: [SQLValue]) throws(Fault) -> Int {
        if dialect == .sqlite {
            for table in ["token_end", "token_use"] {
                try connection.change(
                    "DELETE FROM \(table) WHERE token IN (SELECT id FROM token WHERE \(condition))", values)
            }
        }
        return try connection.change("DELETE FROM token WHERE \(condition)", values)
    }

    private func noteEnds(of tokens: [TokenID]) throws(Fault) {
        let sql =
            switch dialect {
            case .sqlite:
                "UPDATE token_end SET ended = 1 WHERE ended = 0 AND \(dialect.isOneOf("token", "$1"))"
            case .postgres:
                "UPDATE token SET ended = 1 WHERE expires IS NOT NULL AND \(dialect.isOneOf("id", "$1"))"
            }
        try connection.change(sql, .integers(tokens.map(\.value)))
    }

    private func note(_ uses: [TokenUse]) throws(Fault) {
        switch dialect {
        case .sqlite:
            for use in uses {
                try connection.change(
                    """
                    INSERT INTO token_use (token, used) SELECT id, $1 FROM token WHERE id = $2
                    ON CONFLICT (token) DO UPDATE SET used = excluded.used WHERE used < excluded.used
                    """, .integer(use.time), .integer(use.token.value))
            }
        case .postgres:
            try connection.change(
                """
                UPDATE token SET used = greatest(used, latest.time)
                FROM (SELECT id, max(time) AS time FROM unnest($1::bigint[], $2::bigint[]) AS uses (id, time)
                    GROUP BY id) AS latest
                WHERE token.id = latest.id
                """, .integers(uses.map(\.token.value)), .integers(uses.map(\.time)))
        }
    }
}
