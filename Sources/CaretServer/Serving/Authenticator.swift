package import CaretRooms
package import CaretWire

/// Where a connection came in, which decides how it is authenticated.
package enum Door: Sendable {
    /// An address that others reach.
    case address(SocketAddress)
    /// The socket in the data folder. Only the server's own system user reaches it, and is admin.
    case adminSocket
}

/// Finds out who is at the other end of a connection.
package protocol Authenticator: Sendable {
    /// Calls back once, on any thread, and maybe before it returns.
    func identify(
        _ token: WireString?, at door: Door, then completion: @escaping @Sendable (Authentication) -> Void)
}
