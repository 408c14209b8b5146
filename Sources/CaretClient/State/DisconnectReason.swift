/// What ended a connection, or kept one from coming about.
package enum CutReason: Equatable, Sendable {
    /// No connection came about, for this reason.
    case unreachable(String)
    /// The server ended it without a word.
    case ended
    case failed(String)
    /// Nothing was heard for so long that nobody can be there.
    case silent
    /// What came is nothing that a server says.
    case notUnderstood(String)
    /// The server said so.
    case said(String)
    /// More waits to be sent than may.
    case outputFull

    /// For a person.
    package var words: String {
        switch self {
        case .unreachable(let reason), .failed(let reason), .said(let reason): reason
        case .ended: "the server closed the connection"
        case .silent: "the server does not answer"
        case .notUnderstood(let reason):
            "what answers there is no server that this client understands: \(reason)"
        case .outputFull: "the server takes nothing"
        }
    }
}
