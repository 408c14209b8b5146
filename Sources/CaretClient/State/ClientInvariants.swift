package import CaretCore
import CaretReplica

extension ClientState {
    /// Throws the first invariant that does not hold. All hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        for document in documents.values { try document.checkInvariants() }
        try asks.checkInvariants(link: link, ids: ids)
        try kept?.checkInvariants()
        try BrokenInvariant.check(
            "a document is connected only while the client is welcome",
            link.isWelcomed || documents.values.allSatisfy { $0.replica.link == .offline })
        try BrokenInvariant.check(
            "each document has a key that this client gave out",
            documents.keys.allSatisfy { (1...max(1, lastKey)).contains($0.value) })
        try BrokenInvariant.check(
            "the client is woken no later than its next deadline",
            deadline.map { deadline in wakesAt.map { $0 <= deadline } ?? false } ?? true)
        try BrokenInvariant.check(
            "a client that ended follows nothing", !link.hasEnded || follow == nil)
    }
}

extension ClientState.Link {
    var isWelcomed: Bool {
        switch self {
        case .welcomed: true
        case .idle, .connecting, .greeting, .waiting, .ended: false
        }
    }

    var hasEnded: Bool {
        switch self {
        case .ended: true
        case .idle, .connecting, .greeting, .welcomed, .waiting: false
        }
    }
}
