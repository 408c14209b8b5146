package import CaretWire

/// Why the server ended a connection, or why the client left. A broken connection has no such reason.
package enum ConnectionEnd: Equatable, Sendable {
    /// After an error.
    case refused(ErrorCode)
    /// After `bye`.
    case sentBye(ByeReason)
    /// The peer stopped sending, and all its requests were answered.
    case left
}
