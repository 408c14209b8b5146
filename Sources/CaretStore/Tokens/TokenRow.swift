import CaretLog

/// A row of `token` without its grants. The store reads the grants only after the token's text was checked.
struct TokenRow {
    static let columns = "id, user, digest, created, grants_sum, sum"

    let id: TokenID
    let user: UserName
    /// The digest of the token's text.
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
        return Token(id: id, user: user, grants: grants, created: created)
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
        return sum.value()
    }
}
