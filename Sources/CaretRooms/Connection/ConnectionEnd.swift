package import CaretWire

/// Why a connection ended, unless it simply broke.
package enum ConnectionEnd: Equatable, Sendable {
    /// After an error.
    case refused(ErrorCode)
    /// After `bye`.
    case sentBye(ByeReason)
    /// The peer stopped sending, and all its requests were answered.
    case left
}
