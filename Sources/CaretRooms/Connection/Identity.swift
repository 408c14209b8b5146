package import CaretCore
package import CaretLog
package import CaretWire

/// Whose token it is, and what it is good for.
package struct Identity: Equatable, Sendable {
    package let user: ByteString
    package let token: TokenID
    package let grants: Grants

    package init(user: ByteString, token: TokenID, grants: Grants) {
        self.user = user
        self.token = token
        self.grants = grants
    }

    /// Everybody, where nobody needs a token.
    package static let anonymous = Identity(user: "anonymous", token: .unneeded, grants: .all)
    /// Whoever the system lets come in at the socket in the data folder.
    package static let admin = Identity(user: "admin", token: .unneeded, grants: .all)
}

/// What came of `authenticate`.
package enum Authentication: Equatable, Sendable {
    case known(Identity)
    case unknown
    /// Too many unknown ones came from its address; it was not looked at.
    case tooOften(retryAfterMilliseconds: Int)
    /// It could not be found out.
    case failed
}

/// Who is at the other end of a connection.
package struct Member: Equatable, Sendable {
    let pusher: Pusher
    let token: TokenID
    var grants: Grants
    let unit: CodeUnit
    let introduction: Introduction
}

/// That a connection wants in. Its user and client are its own from now on, and no other connection's.
package struct Joining: Equatable, Sendable {
    package let connection: ConnectionID
    package let pusher: Pusher
    package let token: TokenID
    package let grants: Grants
    package let unit: CodeUnit
    /// Where it comes from, for administrators.
    package let peer: WireString?

    package init(
        connection: ConnectionID, pusher: Pusher, token: TokenID, grants: Grants, unit: CodeUnit,
        peer: WireString? = nil
    ) {
        self.connection = connection
        self.pusher = pusher
        self.token = token
        self.grants = grants
        self.unit = unit
        self.peer = peer
    }
}

extension Access {
    /// As the wire tells it.
    package var rights: Rights {
        switch self {
        case .none: .none
        case .read: .read
        case .write, .admin: .write
        }
    }
}
