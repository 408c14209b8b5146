/// The error codes of the protocol. The raw values are the words on the wire.
package enum ErrorCode: String, CaseIterable, Sendable {
    case badJSON = "bad_json"
    case badMessage = "bad_message"
    case unknownType = "unknown_type"
    case lineTooLong = "line_too_long"
    case helloRequired = "hello_required"
    case helloTimeout = "hello_timeout"
    case unsupportedProtocol = "unsupported_protocol"
    case unauthorized
    case alreadyHello = "already_hello"
    case notOpen = "not_open"
    case alreadyOpen = "already_open"
    case badName = "bad_name"
    case notFound = "not_found"
    case exists
    case forbidden
    case badRange = "bad_range"
    case badText = "bad_text"
    case badEdits = "bad_edits"
    case baseAhead = "base_ahead"
    case baseBehind = "base_behind"
    case baseTrimmed = "base_trimmed"
    case baseBeforeOwnPush = "base_before_own_push"
    case pushInFlight = "push_in_flight"
    case epochChanged = "epoch_changed"
    case seqReused = "seq_reused"
    case tooLarge = "too_large"
    case rateLimited = "rate_limited"
    case storageFull = "storage_full"
    case storageFailed = "storage_failed"
    case damaged
    case overloaded
    case shuttingDown = "shutting_down"
    case `internal`

    /// Whether the server closes the connection after this error. Before the server has sent `welcome`, it
    /// closes the connection after every error.
    package var closes: Bool {
        switch self {
        case .lineTooLong, .helloRequired, .helloTimeout, .unsupportedProtocol, .unauthorized, .shuttingDown:
            true
        case .badJSON, .badMessage, .unknownType, .alreadyHello, .notOpen, .alreadyOpen, .badName, .notFound,
            .exists, .forbidden, .badRange, .badText, .badEdits, .baseAhead, .baseBehind, .baseTrimmed,
            .baseBeforeOwnPush, .pushInFlight, .epochChanged, .seqReused, .tooLarge, .rateLimited,
            .storageFull, .storageFailed, .damaged, .overloaded, .internal:
            false
        }
    }
}
