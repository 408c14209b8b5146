package import CaretRooms
package import CaretWire

/// Where a connection was accepted. This decides how it is authenticated.
package enum Door: Sendable {
    /// An address that others can reach.
    case address(SocketAddress)
    /// The socket in the data folder. Only the server's own system user can use it, and is an administrator.
    case adminSocket
}

/// Finds out who a client is.
package protocol Authenticator: Sendable {
    /// Calls back once, on any thread, possibly before it returns.
    func identify(
        _ token: WireString?, at door: Door, then completion: @escaping @Sendable (Authentication) -> Void)
}
