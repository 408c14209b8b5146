package import CaretRooms
package import CaretWire

/// The listener that accepted a connection. It decides how the client is authenticated.
package enum ListenerKind: Sendable {
    /// A TCP listener, which other users and machines can reach. The value is the client's address.
    case address(SocketAddress)
    /// The Unix socket in the data folder. Only the system user that runs the server can connect to it. This
    /// user is an administrator.
    case adminSocket
}

/// Finds the user and the rights of a client.
package protocol Authenticator: Sendable {
    /// Calls `completion` once, on any thread, possibly before this function returns.
    func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void)
}
