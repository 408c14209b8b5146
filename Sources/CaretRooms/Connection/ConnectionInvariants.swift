extension ConnectionState {
    /// Fails where a law is broken that holds behind every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("all actions were handed out", actions.isEmpty)
        try BrokenInvariant.check("documents are known by session and by name alike", documents.isSound)
        try BrokenInvariant.check("what waits is what its lines have left", output.isSound)
        try BrokenInvariant.check("no more requests were answered than asked", longRequests >= 0)
        try BrokenInvariant.check(
            "who has not been welcomed has nothing open", isTalking || documents.isEmpty)
        try BrokenInvariant.check("who has not been welcomed waits for nothing", isTalking || underway == nil)
        switch underway {
        case .opening(let session, _):
            try BrokenInvariant.check(
                "what is being opened is open to be", documents.stage(of: session) == .opening)
        case .closing(let session, _, _, let isAnswered):
            try BrokenInvariant.check(
                "what is being closed is there until it is answered",
                isAnswered || documents.stage(of: session) == .closing)
        case .asked, .diverged, nil: break
        }
    }
}
