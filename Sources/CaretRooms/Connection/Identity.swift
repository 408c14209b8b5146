package import CaretCore
package import CaretLog
package import CaretWire

/// A token's user, grants and end.
package struct Identity: Equatable, Sendable {
    package let user: ByteString
    package let token: TokenID
    package let grants: Grants
    /// When the token ends; nil if it has no end.
    package let expires: Int64?
    /// Whether the token was found ended before.
    package let hasEnded: Bool

    package init(
        user: ByteString, token: TokenID, grants: Grants, expires: Int64? = nil, hasEnded: Bool = false
    ) {
        self.user = user
        self.token = token
        self.grants = grants
        self.expires = expires
        self.hasEnded = hasEnded
    }

    /// The identity of every client if the server has no tokens.
    package static let anonymous = Identity(user: "anonymous", token: .unneeded, grants: .all)
    /// The identity of clients that connect through the Unix socket in the data folder. Only the server's
    /// system user can open this socket.
    package static let admin = Identity(user: "admin", token: .unneeded, grants: .all)
}

/// The result of `authenticate`.
package enum Authentication: Equatable, Sendable {
    case known(Identity)
    case unknown
    /// Too many unknown tokens came from the address, so this one was not looked up.
    case tooOften(retryAfterMilliseconds: Int)
    /// The lookup failed.
    case failed
}

/// The client of a connection.
package struct Member: Equatable, Sendable {
    let pusher: Pusher
    let token: TokenID
    var grants: Grants
    /// When the token ends; nil if it has no end.
    let expires: Int64?
    let unit: CodeUnit
    let introduction: Introduction
}

/// A connection's request to be admitted by the hub. While this connection is open, no other connection may
/// have the same user and client.
package struct JoinRequest: Equatable, Sendable {
    package let connection: ConnectionID
    package let pusher: Pusher
    package let token: TokenID
    package let grants: Grants
    /// When the token ends; nil if it has no end.
    package let expires: Int64?
    /// Whether the token was found ended before.
    package let hasEnded: Bool
    package let unit: CodeUnit
    /// The peer's address, for administrators.
    package let peer: WireString?

    package init(
        connection: ConnectionID, pusher: Pusher, token: TokenID, grants: Grants, expires: Int64? = nil,
        hasEnded: Bool = false, unit: CodeUnit, peer: WireString? = nil
    ) {
        self.connection = connection
        self.pusher = pusher
        self.token = token
        self.grants = grants
        self.expires = expires
        self.hasEnded = hasEnded
        self.unit = unit
        self.peer = peer
    }
}

extension ErrorReport {
    /// Refuses a token that has ended. Only a client that has shown the token gets this message.
    init(tokenEndedAt end: Int64) {
        self.init(.unauthorized, "the token ended at \(UTCTime(milliseconds: end))")
    }
}

extension Access {
    /// The rights as sent to clients.
    package var rights: Rights {
        switch self {
        case .none: .none
        case .read: .read
        case .write, .admin: .write
        }
    }
}
