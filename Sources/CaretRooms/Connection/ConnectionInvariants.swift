package import CaretCore

extension ConnectionState {
    /// Throws the first invariant that does not hold. All invariants must hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", actions.isEmpty)
        try documents.checkInvariants()
        try output.checkInvariants()
        try BrokenInvariant.check("the number of unanswered long requests is not negative", longRequests >= 0)
        try BrokenInvariant.check(
            "a connection has open documents only after its welcome", isWelcomed || documents.isEmpty)
        try BrokenInvariant.check(
            "a connection has a request under way only after its welcome", isWelcomed || underway == nil)
        switch underway {
        case .opening(let session, _):
            try BrokenInvariant.check(
                "a session that is being opened is in the stage `opening`",
                documents.stage(of: session) == .opening)
        case .closing(let session, _, _, let isAnswered):
            try BrokenInvariant.check(
                "a session that is being closed is in the stage `closing` until `closed` is sent",
                isAnswered || documents.stage(of: session) == .closing)
        case .waitingForAnswer, .authenticating, .diverged, nil: break
        }
    }
}
