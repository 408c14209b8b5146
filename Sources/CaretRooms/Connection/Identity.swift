package import CaretCore
package import CaretLog
package import CaretWire

/// The user of a client, its credential, and its rights.
package struct Identity: Equatable, Sendable {
    package let user: ByteString
    package let credential: Credential
    package var grants: Grants
    /// When the token ends; nil if it has no end.
    package let expires: Int64?
    /// What the token says of the user's name and color; nil if it says nothing.
    package let look: VerifiedLook?

    package init(
        user: ByteString, _ credential: Credential, grants: Grants, expires: Int64? = nil,
        look: VerifiedLook? = nil
    ) {
        self.user = user
        self.credential = credential
        self.grants = grants
        self.expires = expires
        self.look = look
    }

    /// The identity of every client if the server has no tokens.
    package static let anonymous = Identity(user: "anonymous", .unneeded, grants: .all)
    /// The identity of clients that connect through the Unix socket in the data folder. Only the server's
    /// system user can open this socket.
    package static let admin = Identity(user: "admin", .unneeded, grants: .all)

    /// When the server ends the connection; nil if the token has no end.
    var end: Int64? {
        switch credential {
        case .unneeded, .stored, .guest: expires
        case .signed(let signed): signed.end
        case .proxied(let end): end
        }
    }
}

/// How a client has signed in.
package enum Credential: Hashable, Sendable {
    /// The client needs no token.
    case unneeded
    /// A token of the store. `hasEnded` is true if a server has found it ended before.
    case stored(TokenID, hasEnded: Bool = false)
    case signed(SignedCredential)
    /// The client has no token, and tokens are required. The value is an id of the client's address, and nil for
    /// addresses of this machine.
    case guest(ByteString?)
    /// A proxy has named the user. The value is when the connection ends, so that the proxy is asked again. Nil if
    /// the proxy names the user of each request.
    case proxied(until: Int64?)

    /// The number of a token of the store.
    package var stored: TokenID? {
        if case .stored(let token, _) = self { token } else { nil }
    }

    /// The reason in `bye` after the token has become invalid.
    var byeReason: ByeReason {
        switch self {
        case .unneeded, .stored: .revoked
        // `token_ended` is not final: a guest may still read something, or sign in.
        case .signed, .guest, .proxied: .tokenEnded
        }
    }

    /// Whether stored tokens are out of reach, because what the client stored would outlive its sign-in.
    var isTemporary: Bool {
        switch self {
        case .unneeded, .stored, .guest: false
        case .signed, .proxied: true
        }
    }

    /// The clock that decides when the credential ends.
    var clock: EndClock {
        switch self {
        case .unneeded, .stored, .guest: .tokens
        case .signed: .wall
        case .proxied: .steady
        }
    }
}

/// A clock that decides when a credential ends.
enum EndClock: Equatable, Sendable {
    /// The later one of the two others, so that stored tokens stay ended.
    case tokens
    /// The clock of this machine, which may be set.
    case wall
    /// The clock of the connections, which never goes back.
    case steady
}

/// What the server keeps of a signed token.
package struct SignedCredential: Hashable, Sendable {
    /// A digest of the key that has signed the token.
    package let key: ByteString
    /// When the backend signed the token.
    package let issued: Int64
    /// When the token becomes invalid: some time after its `expires`, because clocks differ.
    package let end: Int64
    /// The claim `jti`.
    package let id: ByteString?

    package init(key: ByteString, issued: Int64, end: Int64, id: ByteString? = nil) {
        (self.key, self.issued, self.end, self.id) = (key, issued, end, id)
    }
}

/// The result of `authenticate`.
package enum Authentication: Equatable, Sendable {
    case known(Identity)
    case unknown
    /// A signed token that breaks a rule. The text names the rule.
    case refused(String)
    /// A signed token that has ended. The text says when.
    case ended(String)
    /// Too many unknown tokens came from the address, so this one was not looked up.
    case tooOften(retryAfterMilliseconds: Int)
    /// The lookup failed.
    case failed
}

/// The client of a connection.
package struct Member: Equatable, Sendable {
    let pusher: Pusher
    var identity: Identity
    let unit: CodeUnit
    let introduction: Introduction
}

/// A connection's request to be admitted by the hub. While this connection is open, no other connection may
/// have the same user and client.
package struct JoinRequest: Equatable, Sendable {
    package let connection: ConnectionID
    package let pusher: Pusher
    package let identity: Identity
    package let unit: CodeUnit
    /// The peer's address, for administrators.
    package let peer: WireString?

    package init(
        connection: ConnectionID, pusher: Pusher, identity: Identity, unit: CodeUnit, peer: WireString? = nil
    ) {
        self.connection = connection
        self.pusher = pusher
        self.identity = identity
        self.unit = unit
        self.peer = peer
    }
}

extension ErrorReport {
    /// The error for a token that was not accepted. Nil for a token that was.
    init?(_ result: Authentication) {
        switch result {
        case .known: return nil
        case .unknown: self.init(.unauthorized, "the token is unknown or was revoked")
        case .refused(let reason): self.init(.unauthorized, reason)
        case .ended(let reason): self.init(.tokenEnded, reason)
        case .tooOften(let retry):
            self.init(
                .rateLimited, "too many unknown tokens came from this address", retryAfterMilliseconds: retry)
        case .failed: self.init(.storageFailed, "the token could not be looked up")
        }
    }
}

extension Access {
    /// The rights as sent to clients.
    package var rights: Rights {
        switch self {
        case .none: .none
        // Only `notes` says whether somebody may write notes.
        case .read, .note: .read
        case .write, .admin: .write
        }
    }
}
