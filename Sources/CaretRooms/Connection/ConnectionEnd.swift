package import CaretWire

/// Why a connection came to its end, where it was not simply gone.
package enum ConnectionEnd: Equatable, Sendable {
    /// Behind an error.
    case refused(ErrorCode)
    case said(ByeReason)
    /// The peer had sent all that it wanted to.
    case left
}
