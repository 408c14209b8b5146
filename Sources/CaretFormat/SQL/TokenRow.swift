import CaretLog

/// A row of `token` without its grants, and the token's end. The grants are read only after the token's text was
/// checked, because they may be long.
package struct TokenRow {
    let id: TokenID
    let user: UserName
    /// The digest of the token's text.
    let digest: Digest
    let created: Int64
    package let expires: Int64?
    /// The checksum of the grants.
    private let grantsSum: Int64

    init(id: TokenID, user: UserName, digest: Digest, created: Int64, expires: Int64?, grants: [UInt8]) {
        self.id = id
        self.user = user
        self.digest = digest
        self.created = created
        self.expires = expires
        grantsSum = TokenRow.sum(of: grants)
    }

    // MARK: Reading

    /// The columns that are read.
    static func columns(_ dialect: SQLDialect) -> String {
        "id, \(dialect.user), digest, created, expires, grants, coalesce(ended, 0), used"
            + (dialect.hasSums ? ", grants_sum, sum" : "")
    }

    static let (idColumn, grantsColumn, usedColumn): (Int32, Int32, Int32) = (0, 5, 7)

    /// Without checksums, the one of the grants is computed.
    package init(_ row: SQLRow, hasSums: Bool) throws(DamagedRow) {
        id = TokenID(try row.integer(TokenRow.idColumn))
        user = try row.name(1) { try? UserName($0) }
        digest = try row.digest(2)
        created = try row.integer(3)
        expires = try row.optionalInteger(4)
        grantsSum = hasSums ? try row.integer(8) : TokenRow.sum(of: row.bytes(TokenRow.grantsColumn))
        if hasSums { try row.check(sum, 9) }
    }

    /// The token of this row.
    func token(_ row: SQLRow) throws(DamagedRow) -> Token {
        let bytes = row.bytes(TokenRow.grantsColumn)
        guard TokenRow.sum(of: bytes) == grantsSum, let grants = GrantsFormat.decoded(bytes) else {
            throw row.damage("is damaged", TokenRow.grantsColumn)
        }
        // Not covered by the checksum, because it changes only what the clock could change too.
        let hasEnded = try row.integer(6) != 0
        return Token(
            id: id, user: user, grants: grants, created: created, expires: expires, hasEnded: hasEnded)
    }

    // MARK: Writing

    /// Writes the row of a new token.
    package func insert<Connection: SQLConnection>(
        with grants: [UInt8], into connection: Connection
    ) throws(Connection.Fault) {
        switch Connection.dialect {
        case .sqlite:
            try connection.change(
                """
                INSERT INTO token (id, user, digest, created, grants_sum, sum, grants)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, .integer(id.value), .bytes(user.bytes.utf8), .digest(digest), .integer(created),
                .integer(grantsSum), .integer(sum), .bytes(grants))
            guard let expires else { return }
            try connection.change(
                "INSERT INTO token_end (token, expires) VALUES ($1, $2)", .integer(id.value),
                .integer(expires))
        case .postgres:
            try connection.change(
                """
                INSERT INTO token (id, username, digest, created, expires, grants) OVERRIDING SYSTEM VALUE
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .integer(id.value), .bytes(user.bytes.utf8), .digest(digest), .integer(created),
                .integer(expires), .bytes(grants))
        }
    }

    static func sum(of grants: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.update(grants)
        return sum.value()
    }

    /// The checksum of the row.
    private var sum: Int64 {
        var sum = RowSum()
        sum.update(id.value)
        sum.update(created)
        sum.update(grantsSum)
        sum.update(user.bytes.utf8)
        sum.update(digest)
        // Without an end, the sum is the same as in older databases, where no token has an end.
        if let expires { sum.update(expires) }
        return sum.value()
    }
}
