/// Why a connection ended, or could not be made.
package enum DisconnectReason: Equatable, Sendable {
    /// The attempt to connect failed, for this reason.
    case unreachable(String)
    /// The server closed the connection without giving a reason.
    case ended
    case failed(String)
    /// The server sent nothing for too long.
    case silent
    /// The server sent something that this client does not understand.
    case notUnderstood(String)
    /// The server gave this reason.
    case announced(String)
    /// The client has too much unsent output, because the server reads too slowly.
    case outputFull

    /// The reason in words, for people to read.
    package var explanation: String {
        switch self {
        case .unreachable(let reason), .failed(let reason), .announced(let reason): reason
        case .ended: "the server closed the connection"
        case .silent: "the server does not answer"
        case .notUnderstood(let reason):
            "the server sent something that this client does not understand: \(reason)"
        case .outputFull: "the server reads too slowly"
        }
    }
}
