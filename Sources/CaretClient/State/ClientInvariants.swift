package import CaretCore
import CaretReplica

extension ClientState {
    /// Throws the first invariant that is broken. All invariants hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        for document in documents.values { try document.checkInvariants() }
        try requests.checkInvariants(link: link, ids: ids)
        try unsaved?.checkInvariants()
        try BrokenInvariant.check(
            "a document is connected only while the client is connected",
            link.isWelcomed || documents.values.allSatisfy { $0.replica.link == .offline })
        try BrokenInvariant.check(
            "the key of each document was issued by this client",
            documents.keys.allSatisfy { (1...max(1, lastKey)).contains($0.value) })
        try BrokenInvariant.check(
            "each open document has a user",
            Set(userCounts.keys) == Set(documents.keys) && userCounts.values.allSatisfy { $0 > 0 })
        try BrokenInvariant.check(
            "the next wake-up is no later than the next deadline",
            deadline.map { deadline in wakesAt.map { $0 <= deadline } ?? false } ?? true)
        try BrokenInvariant.check(
            "the app is asked while the client waits for its token",
            link != .fetchingToken || tokens?.isAsking == true)
        try BrokenInvariant.check(
            "a client that has ended follows no documents", !link.hasEnded || follow == nil)
    }
}

extension ClientState.Link {
    var isWelcomed: Bool {
        switch self {
        case .welcomed: true
        case .idle, .fetchingToken, .connecting, .helloSent, .waiting, .ended: false
        }
    }

    var hasEnded: Bool {
        switch self {
        case .ended: true
        case .idle, .fetchingToken, .connecting, .helloSent, .welcomed, .waiting: false
        }
    }
}
