import COpenSSL
import CaretFormat
import CaretLog

/// Reads and writes the tokens through one connection.
struct TokenTable {
    let connection: PostgresConnection

    private static let columns = "id, username, digest, created, expires, grants"

    func add(
        _ user: UserName, _ grants: Grants, expires: Int64?, at time: Int64
    ) throws(PostgresFault) -> TokenText {
        // The text contains the number, so the number comes first.
        let number = try connection.run(
            "SELECT nextval(pg_get_serial_sequence('token', 'id'))"
        ).first?.integer(0)
        guard let number else { throw .lost("PostgreSQL returned no number") }
        // The secret comes from the system's source of randomness.
        let text = TokenText(TokenID(number), secret: .random(in: .min ... .max))
        try connection.run(
            """
            INSERT INTO token (\(TokenTable.columns)) OVERRIDING SYSTEM VALUE
            VALUES ($1, $2, $3, $4, nullif($5, $6), $7)
            """,
            [
                .integer(number), .bytes(user.bytes.utf8), .bytes(SHA256.digest(of: text.bytes.utf8).bytes),
                .integer(time), .integer(expires ?? .min), .integer(.min),
                .bytes(GrantsFormat.encoded(grants)),
            ])
        return text
    }

    func token(shown text: ByteString) throws(PostgresFault) -> Token {
        let id = TokenText.token(in: text) ?? .unneeded
        let found = try connection.run(
            "SELECT \(TokenTable.columns), ended FROM token WHERE id = $1", [.integer(id.value)])
        // Compare even if there is no such token, so that the response time does not reveal whether it exists.
        let known = found.first?.bytes(2) ?? Digest(.zero).bytes
        let shown = SHA256.digest(of: text.utf8).bytes
        guard known.count == shown.count, CRYPTO_memcmp(known, shown, known.count) == 0, let row = found.first
        else { throw .refused(.refused(.gone)) }
        return try TokenTable.token(row)
    }

    private static func token(_ row: PostgresRow) throws(PostgresFault) -> Token {
        guard let user = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? UserName($0) }),
            let grants = GrantsFormat.decoded(row.bytes(5))
        else { throw .damaged }
        return Token(
            id: TokenID(try row.integer(0)), user: user, grants: grants, created: try row.integer(3),
            expires: try row.optionalInteger(4), hasEnded: try row.integer(6) != 0)
    }

    func list(after: TokenID?, limit: Int, weighing weight: Int) throws(PostgresFault) -> TokenListing {
        // One row more shows whether there are more.
        let found = try connection.run(
            "SELECT \(TokenTable.columns), ended, used FROM token WHERE id > $1 ORDER BY id LIMIT $2",
            [.integer(after?.value ?? 0), .integer(Int64(max(0, limit)) + 1)])
        var (items, sum): ([TokenListing.Item], Int) = ([], 0)
        for row in found.rows {
            let id = TokenID(try row.integer(0))
            let sound = try? TokenListing.Item.sound(
                TokenTable.token(row), lastUse: row.optionalInteger(7))
            let item = sound ?? .damaged(id)
            sum += item.weight
            if items.count >= limit || sum > weight && !items.isEmpty {
                return TokenListing(items: items, hasMore: true)
            }
            items.append(item)
        }
        return TokenListing(items: items, hasMore: false)
    }

    func revoke(_ id: TokenID) throws(PostgresFault) {
        let result = try connection.run(
            "DELETE FROM token WHERE id = $1", [.integer(id.value)])
        if result.changes == 0 { throw .refused(.refused(.gone)) }
    }

    func live(_ tokens: [TokenID]) throws(PostgresFault) -> [TokenID] {
        try connection.run("SELECT id FROM token WHERE id = ANY($1)", [.integers(tokens.map(\.value))])
            .rows.map { row throws(PostgresFault) in TokenID(try row.integer(0)) }
    }

    func noteEnds(of tokens: [TokenID]) throws(PostgresFault) {
        try connection.run(
            "UPDATE token SET ended = 1 WHERE id = ANY($1) AND expires IS NOT NULL",
            [.integers(tokens.map(\.value))])
    }

    func note(_ uses: [TokenUse]) throws(PostgresFault) {
        try connection.run(
            """
            UPDATE token SET used = greatest(used, latest.time)
            FROM (SELECT id, max(time) AS time FROM unnest($1::bigint[], $2::bigint[]) AS uses (id, time)
                GROUP BY id) AS latest
            WHERE token.id = latest.id
            """, [.integers(uses.map(\.token.value)), .integers(uses.map(\.time))])
    }
}
