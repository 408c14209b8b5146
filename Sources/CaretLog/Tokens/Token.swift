/// Which token: unique in one store, never used again.
package struct TokenID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    /// What those come with who need no token; no store gives it.
    package static let unneeded = TokenID(0)

    package static func < (left: TokenID, right: TokenID) -> Bool { left.value < right.value }
}

/// What is known of a token: whose it is, and what it is good for. Its text is not.
package struct Token: Equatable, Sendable {
    package let id: TokenID
    package let user: UserName
    package let grants: Grants
    /// When it was made, in milliseconds.
    package let created: Int64

    package init(id: TokenID, user: UserName, grants: Grants, created: Int64) {
        self.id = id
        self.user = user
        self.grants = grants
        self.created = created
    }

    /// About as many bytes as it takes to tell of it, and not more.
    package var weight: Int {
        grants.grants.reduce(32 + user.bytes.utf8.count) { $0 + 24 + $1.scope.start.utf8.count }
    }
}
