import CaretLog

/// A row of `token` without its grants, as it is looked at before anybody has shown the token.
struct TokenRow {
    static let columns = "id, user, digest, created, grants_sum, sum"

    let id: TokenID
    let user: UserName
    /// Of the token's text.
    let digest: Digest
    let created: Int64
    let grantsSum: Int64

    init(id: TokenID, user: UserName, digest: Digest, created: Int64, grants: [UInt8]) {
        self.id = id
        self.user = user
        self.digest = digest
        self.created = created
        grantsSum = TokenRow.sum(of: grants)
    }

    /// Nil where the row cannot be: it is damaged.
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
        if sum != row.integer(5) { return nil }
    }

    /// The columns, in their order.
    var values: [Value] {
        [
            .integer(id.value), .bytes(user.bytes.utf8), .bytes(digest.bytes), .integer(created),
            .integer(grantsSum), .integer(sum),
        ]
    }

    /// The token with what stands in the row behind this; nil where that is damaged.
    func token(grants: [UInt8]) -> Token? {
        guard TokenRow.sum(of: grants) == grantsSum, let grants = GrantsFormat.decoded(grants) else {
            return nil
        }
        return Token(id: id, user: user, grants: grants, created: created)
    }

    static func sum(of grants: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.take(grants)
        return sum.value()
    }

    private var sum: Int64 {
        var sum = RowSum()
        sum.take(id.value)
        sum.take(created)
        sum.take(grantsSum)
        sum.take(user.bytes.utf8)
        sum.take(digest)
        return sum.value()
    }
}
