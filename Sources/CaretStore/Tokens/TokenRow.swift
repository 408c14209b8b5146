import CaretFormat
import CaretLog

/// A row of `token` without its grants, and the token's end. The store reads the grants only after the token's
/// text was checked.
struct TokenRow {
    /// The columns of `token` except the grants.
    static let columns = "id, user, digest, created, grants_sum, sum"
    /// The columns that are read, and the tables that have them.
    static let (read, tables) = (
        "\(columns), expires, ended", "token LEFT JOIN token_end ON token_end.token = id"
    )

    let id: TokenID
    let user: UserName
    /// The digest of the token's text.
    let digest: Digest
    let created: Int64
    let expires: Int64?
    let grantsSum: Int64
    /// Not covered by the checksum, because it changes only what the clock could change too.
    let hasEnded: Bool

    init(
        id: TokenID, user: UserName, digest: Digest, created: Int64, expires: Int64?, grants: [UInt8]
    ) {
        self.id = id
        self.user = user
        self.digest = digest
        self.created = created
        self.expires = expires
        hasEnded = false
        grantsSum = TokenRow.sum(of: grants)
    }

    /// Nil if the row is damaged.
    init?(_ row: Row) {
        guard
            let user = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? UserName($0) }),
            let digest = Digest(bytes: row.bytes(2))
        else { return nil }
        id = TokenID(row.integer(0))
        self.user = user
        self.digest = digest
        created = row.integer(3)
        grantsSum = row.integer(4)
        expires = row.isNull(6) ? nil : row.integer(6)
        hasEnded = row.integer(7) != 0
        if sum != row.integer(5) { return nil }
    }

    /// The values of `columns`, in their order.
    var values: [Value] {
        [
            .integer(id.value), .bytes(user.bytes.utf8), .bytes(digest.bytes), .integer(created),
            .integer(grantsSum), .integer(sum),
        ]
    }

    /// The token with the grants of its row; nil if they are damaged.
    func token(grants: [UInt8]) -> Token? {
        guard TokenRow.sum(of: grants) == grantsSum, let grants = GrantsFormat.decoded(grants) else {
            return nil
        }
        return Token(
            id: id, user: user, grants: grants, created: created, expires: expires, hasEnded: hasEnded)
    }

    static func sum(of grants: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.update(grants)
        return sum.value()
    }

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
