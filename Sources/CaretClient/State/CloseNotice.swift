import CaretReplica
import CaretWire

/// The reason and the delay that the server announced before it closes a connection.
struct CloseNotice: Equatable {
    /// The reason in words, for people to read.
    let reason: String
    let retryAfter: Milliseconds?

    init(_ error: ErrorReport) {
        reason = ServerRefusal(error).description
        retryAfter = error.retryAfterMilliseconds.map { Milliseconds($0) }
    }

    init(_ bye: Bye) {
        switch bye.reason {
        case .known(let known): reason = "the server sent `bye` with the reason \(known.word)"
        case .unknown(let word): reason = "the server sent `bye` with the reason \(word.string)"
        }
        retryAfter = bye.retryAfterMilliseconds.map { Milliseconds($0) }
    }
}
