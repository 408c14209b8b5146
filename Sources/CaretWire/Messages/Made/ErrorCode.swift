// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

/// The error codes of the protocol. The raw values are the words on the wire.
package enum ErrorCode: String, CaseIterable, WireWord {
    case badJSON = "bad_json"
    case badMessage = "bad_message"
    case unknownType = "unknown_type"
    case lineTooLong = "line_too_long"
    case helloRequired = "hello_required"
    case helloTimeout = "hello_timeout"
    case alreadyHello = "already_hello"
    case unsupportedProtocol = "unsupported_protocol"
    case unauthorized
    case tokenEnded = "token_ended"
    case rateLimited = "rate_limited"
    case shuttingDown = "shutting_down"
    case overloaded
    case badName = "bad_name"
    case notFound = "not_found"
    case exists
    case forbidden
    case notOpen = "not_open"
    case alreadyOpen = "already_open"
    case damaged
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
    case storageFull = "storage_full"
    case storageFailed = "storage_failed"
    case `internal`

    /// Whether the server closes the connection after this error. Before the server has sent `welcome`, it
    /// closes the connection after every error.
    package var closes: Bool {
        switch self {
        case .lineTooLong, .helloRequired, .helloTimeout, .unsupportedProtocol, .unauthorized, .tokenEnded,
            .shuttingDown:
            true
        case .badJSON, .badMessage, .unknownType, .alreadyHello, .rateLimited, .overloaded, .badName,
            .notFound, .exists, .forbidden, .notOpen, .alreadyOpen, .damaged, .badRange, .badText, .badEdits,
            .baseAhead, .baseBehind, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .epochChanged,
            .seqReused, .tooLarge, .storageFull, .storageFailed, .internal:
            false
        }
    }

    /// Whether the server would refuse the same `hello` again.
    package var refusesEveryHello: Bool {
        switch self {
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .unsupportedProtocol, .unauthorized,
            .forbidden, .tooLarge:
            true
        case .helloRequired, .helloTimeout, .alreadyHello, .tokenEnded, .rateLimited, .shuttingDown,
            .overloaded, .badName, .notFound, .exists, .notOpen, .alreadyOpen, .damaged, .badRange, .badText,
            .badEdits, .baseAhead, .baseBehind, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight,
            .epochChanged, .seqReused, .storageFull, .storageFailed, .internal:
            false
        }
    }

    /// The status of a response over HTTP with this error. For such a request, the server itself speaks the
    /// protocol, so a mistake in a message is a fault of the server.
    package var httpStatus: Int {
        switch self {
        case .badJSON, .badMessage, .badName, .badRange, .badText, .badEdits: 400
        case .unauthorized, .tokenEnded: 401
        case .forbidden: 403
        case .notFound: 404
        case .exists, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .epochChanged, .seqReused:
            409
        case .baseBehind: 412
        case .lineTooLong, .tooLarge: 413
        case .rateLimited: 429
        case .unknownType, .helloRequired, .helloTimeout, .alreadyHello, .unsupportedProtocol, .notOpen,
            .alreadyOpen, .damaged, .storageFailed, .internal:
            500
        case .shuttingDown, .overloaded: 503
        case .storageFull: 507
        }
    }
}
