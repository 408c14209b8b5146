/// Identifies a token. The id is unique in one store, and never used again.
package struct TokenID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    /// The id for connections that need no token. No stored token has this id.
    package static let unneeded = TokenID(0)

    package static func < (left: TokenID, right: TokenID) -> Bool { left.value < right.value }
}

/// What is known of a token: its user and grants, but not its text.
package struct Token: Equatable, Sendable {
    package let id: TokenID
    package let user: UserName
    package let grants: Grants
    /// When the token was created, in milliseconds.
    package let created: Int64
    /// The first millisecond at which the token is no longer valid; nil if it has no end.
    package let expires: Int64?
    /// Whether a server has found the end passed. Then the token has ended, whatever the clock says.
    package var hasEnded: Bool

    package init(
        id: TokenID, user: UserName, grants: Grants, created: Int64, expires: Int64? = nil,
        hasEnded: Bool = false
    ) {
        self.id = id
        self.user = user
        self.grants = grants
        self.created = created
        self.expires = expires
        self.hasEnded = hasEnded
    }

    /// An estimate of the encoded size in bytes. The actual size is never larger.
    package var weight: Int {
        grants.grants.reduce(32 + user.bytes.utf8.count) { $0 + 24 + $1.scope.start.utf8.count }
    }
}

/// The time when a token was last used, in milliseconds.
package struct TokenUse: Equatable, Sendable {
    package let token: TokenID
    package let time: Int64

    package init(_ token: TokenID, at time: Int64) { (self.token, self.time) = (token, time) }
}
