/// Why the server would not do something: its error codes, as far as they make a difference here.
public enum Refusal: Equatable, Sendable {
    case rateLimited, overloaded, storageFull, storageFailed, internalFault, shuttingDown, pushInFlight
    case notOpen, alreadyOpen
    case epochChanged, baseAhead, baseTrimmed, baseBeforeOwnPush, seqReused, badRange
    case notFound, damaged
    case forbidden, badText, badEdits, tooLarge, lineTooLong
    /// Any other code, one that is not known included: a refusal that keeps the connection.
    case other
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
