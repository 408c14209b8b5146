package import CaretRooms
package import CaretWire

/// Where a connection came in.
package enum Door: Sendable {
    /// An address that others reach.
    case address(SocketAddress)
    /// The socket in the data folder, which only the server's own system user reaches: he is admin.
    case adminSocket
}

/// Finds out who is at the other end of a connection.
package protocol Doorman: Sendable {
    /// Calls back once, on any thread, and maybe before it returns.
    func identify(
        _ token: WireString?, at door: Door, then completion: @escaping @Sendable (Authentication) -> Void)
}
