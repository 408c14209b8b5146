package import CaretCore

extension ConnectionState {
    /// Throws the first invariant that does not hold. All hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", actions.isEmpty)
        try BrokenInvariant.check(
            "the indexes by session and by name list the same open documents", documents.isSound)
        try BrokenInvariant.check(
            "the count of unsent bytes equals the unsent bytes of all lines", output.isSound)
        try BrokenInvariant.check("the number of unanswered long requests is not negative", longRequests >= 0)
        try BrokenInvariant.check(
            "a connection has open documents only after its welcome", isWelcomed || documents.isEmpty)
        try BrokenInvariant.check(
            "a connection has a request under way only after its welcome", isWelcomed || underway == nil)
        switch underway {
        case .opening(let session, _):
            try BrokenInvariant.check(
                "the session of an open under way is in the stage `opening`",
                documents.stage(of: session) == .opening)
        case .closing(let session, _, _, let isAnswered):
            try BrokenInvariant.check(
                "the session of a close under way is in the stage `closing` until `closed` is sent",
                isAnswered || documents.stage(of: session) == .closing)
        case .waitingForAnswer, .diverged, nil: break
        }
    }
}
