package import CaretWire

/// Why the server refused a request: the error codes that a client must distinguish.
public enum Refusal: Equatable, Sendable {
    case rateLimited, overloaded, storageFull, storageFailed, internalFault, shuttingDown, pushInFlight
    case notOpen, alreadyOpen
    case epochChanged, baseAhead, baseTrimmed, baseBeforeOwnPush, seqReused, badRange
    case notFound, damaged
    case forbidden, badText, badEdits, tooLarge, lineTooLong
    /// Any other code, known or unknown. The client keeps the connection open after such a refusal.
    case other
}

extension Refusal {
    package init(_ code: OpenWord<ErrorCode>) {
        switch code {
        case .known(let code): self.init(code)
        case .unknown: self = .other
        }
    }

    private init(_ code: ErrorCode) {
        switch code {
        case .rateLimited: self = .rateLimited
        case .overloaded: self = .overloaded
        case .storageFull: self = .storageFull
        case .storageFailed: self = .storageFailed
        case .internal: self = .internalFault
        case .shuttingDown: self = .shuttingDown
        case .pushInFlight: self = .pushInFlight
        case .notOpen: self = .notOpen
        case .alreadyOpen: self = .alreadyOpen
        case .epochChanged: self = .epochChanged
        case .baseAhead: self = .baseAhead
        case .baseTrimmed: self = .baseTrimmed
        case .baseBeforeOwnPush: self = .baseBeforeOwnPush
        case .seqReused: self = .seqReused
        case .badRange: self = .badRange
        case .notFound: self = .notFound
        case .damaged: self = .damaged
        case .forbidden: self = .forbidden
        case .badText: self = .badText
        case .badEdits: self = .badEdits
        case .tooLarge: self = .tooLarge
        case .lineTooLong: self = .lineTooLong
        case .badJSON, .badMessage, .unknownType, .helloRequired, .helloTimeout, .unsupportedProtocol,
            .unauthorized, .tokenEnded, .alreadyHello, .badName, .exists, .baseBehind:
            self = .other
        }
    }
}

/// What to do after the server has refused a push.
enum PushRecovery {
    /// Resend the same push after some time.
    case resendLater
    /// Open the document again, then resend the same push.
    case reopen
    /// The push was not committed and never will be. Submit its edits as a new push, rebased to the current
    /// text.
    case resubmit
    /// As `resubmit`, but first load the full text, because the replica's text may differ from the server's.
    case resubmitAfterFullText
    /// The client cannot read the document, so it does not know whether the push was committed. Keep the push
    /// as it is.
    case keep
    /// Ask the user what to do.
    case askUser
}

extension Refusal {
    var recovery: PushRecovery {
        switch self {
        // `pushInFlight` means that the server is still working on another push of this client.
        case .rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight:
            .resendLater
        case .notOpen: .reopen
        case .epochChanged, .baseTrimmed, .baseBeforeOwnPush: .resubmit
        case .baseAhead, .badRange, .seqReused: .resubmitAfterFullText
        // The server sends these errors before it checks whether it has committed the push.
        case .notFound, .damaged: .keep
        case .alreadyOpen, .forbidden, .badText, .badEdits, .tooLarge, .lineTooLong, .other: .askUser
        }
    }
}
