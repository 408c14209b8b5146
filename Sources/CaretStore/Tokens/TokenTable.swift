import COpenSSL
import CaretFormat
import CaretLog

/// Reads and writes the tokens through one connection.
///
/// Use it only on the thread or queue of its connection. A call that throws a refusal has written nothing.
struct TokenTable {
    let database: Database

    func add(
        _ user: UserName, _ grants: Grants, expires: Int64?, at time: Int64
    ) throws(StoreFault) -> TokenText {
        let last = try database.one("SELECT seq FROM sqlite_sequence WHERE name = 'token'") { $0.integer(0) }
        // The secret comes from the system's source of randomness.
        let text = TokenText(TokenID((last ?? 0) + 1), secret: .random(in: .min ... .max))
        let bytes = GrantsFormat.encoded(grants)
        let row = TokenRow(
            id: text.token, user: user, digest: SHA256.digest(of: text.bytes.utf8), created: time,
            expires: expires, grants: bytes)
        try database.write(
            "INSERT INTO token (\(TokenRow.columns), grants) VALUES (?, ?, ?, ?, ?, ?, ?)",
            row.values + [.bytes(bytes)])
        if let expires {
            try database.write(
                "INSERT INTO token_end (token, expires) VALUES (?, ?)",
                [.integer(row.id.value), .integer(expires)])
        }
        return text
    }

    func token(shown text: ByteString) throws(StoreFault) -> Token {
        let id = TokenText.token(in: text) ?? .unneeded
        let found = try database.one(
            "SELECT \(TokenRow.read) FROM \(TokenRow.tables) WHERE id = ?", .integer(id.value)
        ) {
            TokenRow($0)
        }
        guard let found else {
            // Do the same work as for an existing row, so that the response time does not reveal whether the
            // token exists.
            _ = TokenRow.sum(of: [UInt8](repeating: 0, count: 96))
            _ = isDigest(Digest(.zero), of: text)
            throw .gone
        }
        guard let row = found else { throw .damaged }
        guard isDigest(row.digest, of: text) else { throw .gone }
        return try token(of: row)
    }

    /// Compares in constant time.
    private func isDigest(_ digest: Digest, of text: ByteString) -> Bool {
        let (known, shown) = (digest.bytes, SHA256.digest(of: text.utf8).bytes)
        return CRYPTO_memcmp(known, shown, known.count) == 0
    }

    private func token(of row: TokenRow) throws(StoreFault) -> Token {
        let grants = try database.one("SELECT grants FROM token WHERE id = ?", .integer(row.id.value)) {
            $0.bytes(0)
        }
        guard let token = grants.flatMap({ row.token(grants: $0) }) else { throw .damaged }
        return token
    }

    func list(after: TokenID?, limit: Int, weighing weight: Int) throws(StoreFault) -> TokenListing {
        var items: [TokenListing.Item] = []
        var (sum, hasMore) = (0, false)
        try database.forEach(
            """
            SELECT \(TokenRow.read), grants, used FROM \(TokenRow.tables)
            LEFT JOIN token_use ON token_use.token = id WHERE id > ? ORDER BY id
            """, [.integer(after?.value ?? 0)], orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in
            let token = TokenRow(row)?.token(grants: row.bytes(8))
            let lastUse = row.isNull(9) ? nil : row.integer(9)
            let item =
                token.map { TokenListing.Item.sound($0, lastUse: lastUse) }
                ?? .damaged(TokenID(row.integer(0)))
            sum += item.weight
            hasMore = items.count >= limit || sum > weight && !items.isEmpty
            if !hasMore { items.append(item) }
            return !hasMore
        }
        return TokenListing(items: items, hasMore: hasMore)
    }

    func revoke(_ id: TokenID) throws(StoreFault) {
        // Delete without reading the row first, so that a damaged token can be revoked too.
        try database.write("DELETE FROM token WHERE id = ?", [.integer(id.value)])
        if database.changes == 0 { throw .gone }
        for table in ["token_end", "token_use"] {
            try database.write("DELETE FROM \(table) WHERE token = ?", [.integer(id.value)])
        }
    }

    func live(_ tokens: [TokenID]) throws(StoreFault) -> [TokenID] {
        var live: [TokenID] = []
        for token in tokens {
            let found = try database.one("SELECT id FROM token WHERE id = ?", .integer(token.value)) {
                $0.integer(0)
            }
            if found != nil { live.append(token) }
        }
        return live
    }

    func noteEnd(of token: TokenID) throws(StoreFault) {
        try database.write(
            "UPDATE token_end SET ended = 1 WHERE token = ? AND ended = 0", [.integer(token.value)])
    }

    func note(_ use: TokenUse) throws(StoreFault) {
        try database.write(
            """
            INSERT INTO token_use (token, used) SELECT id, ?2 FROM token WHERE id = ?1
            ON CONFLICT (token) DO UPDATE SET used = excluded.used WHERE used < excluded.used
            """, [.integer(use.token.value), .integer(use.time)])
    }
}
