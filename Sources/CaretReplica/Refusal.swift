package import CaretWire

/// Why the server would not do something: its error codes, as far as they make a difference here.
public enum Refusal: Equatable, Sendable {
    case rateLimited, overloaded, storageFull, storageFailed, internalFault, shuttingDown, pushInFlight
    case notOpen, alreadyOpen
    case epochChanged, baseAhead, baseTrimmed, baseBeforeOwnPush, seqReused, badRange
    case notFound, damaged
    case forbidden, badText, badEdits, tooLarge, lineTooLong
    /// Any other code, known or not. The connection stays.
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
            .unauthorized, .alreadyHello, .badName, .exists:
            self = .other
        }
    }
}

/// What helps after a refused push.
enum Remedy {
    /// The same push, once some time has passed.
    case wait
    /// The document must be opened first; then the same push.
    case open
    /// The push is known not to be committed and never will be: its edits go out anew, as they read now.
    case pushAnew
    /// As `pushAnew`, but the text here may not be the one the server has.
    case pushAnewOnTheWholeText
    /// The document cannot be seen, so whether the push was committed is open: it is kept as it is.
    case keep
    /// Only its owner can help.
    case ask
}

extension Refusal {
    var remedy: Remedy {
        switch self {
        // With `pushInFlight` the server still works on another push of this client.
        case .rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight:
            .wait
        case .notOpen: .open
        case .epochChanged, .baseTrimmed, .baseBeforeOwnPush: .pushAnew
        case .baseAhead, .badRange, .seqReused: .pushAnewOnTheWholeText
        // Both are judged before the server looks whether it knows the push.
        case .notFound, .damaged: .keep
        case .alreadyOpen, .forbidden, .badText, .badEdits, .tooLarge, .lineTooLong, .other: .ask
        }
    }
}
