/// Why there is no connection, or no answer to a request.
public enum ConnectionFault: Error, Equatable, Sendable {
    /// No program answered at the address, or the program there does not speak the protocol.
    case unreachable(ServerAddress, reason: String)
    /// None of the client's servers can be reached.
    case allUnreachable([UnreachableServer])
    /// The connection ended before the answer came. The server may or may not have carried out the request.
    case lost(ServerAddress, reason: String)
    /// The server refused the client's `hello`.
    case refused(ServerRefusal)
    /// Another program has connected with this client's id.
    case replaced
    /// The access token was revoked or has ended.
    case revoked
    /// The app's function for tokens has returned nil: the user has signed out.
    case signedOut
    /// The token belongs to another user than before. The unsaved edits stay with the user who wrote them. `found`
    /// is nil if the server did not say who it is.
    case otherUser(expected: String, found: String?)
    /// The server has another store than expected. Either another server listens at the address now, or the
    /// server's store was restored from a backup.
    case otherStore(expected: String, found: String)
    /// The program has closed the client or the document.
    case closed
}

/// A server that a client cannot reach.
public struct UnreachableServer: Equatable, Sendable {
    public let address: ServerAddress
    public let reason: String

    public init(address: ServerAddress, reason: String) {
        self.address = address
        self.reason = reason
    }
}

extension ConnectionFault {
    /// Whether no server could be reached. No request was sent then.
    package var isUnreachable: Bool {
        switch self {
        case .unreachable, .allUnreachable: true
        case .lost, .refused, .replaced, .revoked, .signedOut, .otherUser, .otherStore, .closed: false
        }
    }
}

extension ConnectionFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "\(address): \(reason)"
        case .allUnreachable(let servers):
            "no server can be reached: "
                + servers.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        case .lost(let address, let reason):
            "\(address): the connection ended before the answer came: \(reason)"
        case .refused(let refusal): "the server refused this client: \(refusal)"
        case .replaced: "another program has connected with this client's id"
        case .revoked: "the access token was revoked or has ended"
        case .signedOut: "the user has signed out"
        case .otherUser(let expected, let found):
            "the token belongs to \(found ?? "another user"), but \(expected) was expected"
        case .otherStore(let expected, let found):
            "the server has store \(found), but store \(expected) was expected"
        case .closed: "the client is closed"
        }
    }
}
