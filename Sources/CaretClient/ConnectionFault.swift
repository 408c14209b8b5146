/// Why there is no connection, or no answer.
public enum ConnectionFault: Error, Equatable, Sendable {
    /// Nobody could be reached there, or nobody who speaks the protocol.
    case unreachable(ServerAddress, reason: String)
    /// The connection ended before the answer came: whether it was done is unknown.
    case cut(ServerAddress, reason: String)
    /// The server does not take the client.
    case refused(ServerRefusal)
    /// Another program has connected with the id of this client.
    case replaced
    /// The token was taken back.
    case revoked
    /// The server has another store than the client was made for, or than it had before: another server listens at the
    /// address, or an older state of the store was restored.
    case otherStore(expected: String, found: String)
    /// The client was closed by its owner.
    case closed
}

extension ConnectionFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "\(address): \(reason)"
        case .cut(let address, let reason):
            "\(address): the connection ended before the answer came: \(reason)"
        case .refused(let refusal): "the server does not take this client: \(refusal)"
        case .replaced: "another program has connected with the id of this client"
        case .revoked: "the token was taken back"
        case .otherStore(let expected, let found):
            "the server has the store \(found), where \(expected) was expected"
        case .closed: "the client is closed"
        }
    }
}
