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
        case .closed: "the client is closed"
        }
    }
}
