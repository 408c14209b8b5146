import CaretCore
import CaretReplica
import CaretWire

/// The requests that have no answer yet. Some were sent, the others wait to be sent.
package struct PendingRequests: Equatable {
    private struct Request: Equatable {
        let number: RequestNumber
        let message: ClientMessage
    }

    /// How many requests may be in flight at once. The server answers requests one after the other, and reads
    /// at most 64 of them in advance. The client sends fewer, because a request that was not sent yet can be
    /// cancelled, or sent over the next connection.
    package static let maxInFlight = 16
    /// How many requests may be unanswered, sent or waiting. An offline client keeps its requests until it
    /// connects again. This limit bounds their memory.
    package static let maxUnanswered = 10_000

    /// In the order of their numbers, in which the program has made them.
    private var waiting: [Request] = []
    /// Requests in flight, in the order in which they were sent.
    private var sent: [Request] = []
    /// The server has refused requests for a while. They are sent again at this moment, or over the next
    /// connection.
    private(set) var retryAt: Moment?

    /// Adds a request. Returns false, and adds nothing, if the limit is reached.
    mutating func add(_ message: ClientMessage, as number: RequestNumber) -> Bool {
        guard waiting.count + sent.count < PendingRequests.maxUnanswered else { return false }
        waiting.append(Request(number: number, message: message))
        return true
    }

    /// Moves requests from waiting to sent, and returns the actions that send them.
    mutating func nextToSend() -> [ClientAction] {
        if retryAt != nil { return [] }
        let count = min(waiting.count, max(0, PendingRequests.maxInFlight - sent.count))
        let next = waiting.prefix(count)
        waiting.removeFirst(count)
        sent.append(contentsOf: next)
        return next.map { .send($0.message, id: $0.number.id) }
    }

    /// The sent request with this id.
    func number(of id: RequestID?) -> RequestNumber? { sent.first { $0.number.id == id }?.number }

    /// Removes the sent request with this id, because it has its answer.
    mutating func complete(_ id: RequestID?) -> RequestNumber? {
        guard let index = sent.firstIndex(where: { $0.number.id == id }) else { return nil }
        return sent.remove(at: index).number
    }

    /// Makes a sent request wait to be sent again, because the server did not carry it out. Nothing is sent
    /// before the delay has passed.
    mutating func requeue(_ id: RequestID?, after delay: Milliseconds?, at now: Moment) {
        guard let index = sent.firstIndex(where: { $0.number.id == id }) else { return }
        let request = sent.remove(at: index)
        let next = waiting.firstIndex { $0.number.value > request.number.value }
        waiting.insert(request, at: next ?? waiting.endIndex)
        if retryAt == nil { retryAt = now + min(delay ?? Backoff.first, Backoff.longestRequested) }
    }

    mutating func timePassed(at now: Moment) {
        if let retryAt, retryAt <= now { self.retryAt = nil }
    }

    /// Removes a request. Returns false if the request already has its answer.
    mutating func cancel(_ number: RequestNumber) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else {
            return complete(number.id) != nil
        }
        waiting.remove(at: index)
        return true
    }

    /// Handles the end of the connection. Returns the sent requests that are not idempotent: they must fail,
    /// because the server may have carried them out already. The other sent requests wait to be sent
    /// again.
    mutating func disconnected() -> [RequestNumber] {
        let lost = sent.filter { !$0.message.isIdempotent }.map(\.number)
        waiting = (sent.filter(\.message.isIdempotent) + waiting).sorted { $0.number.value < $1.number.value }
        sent = []
        retryAt = nil
        return lost
    }

    /// Whether every sent request can be sent again over another connection.
    var allCanBeRepeated: Bool { sent.allSatisfy(\.message.isIdempotent) }

    mutating func removeAll() -> [RequestNumber] {
        defer { self = PendingRequests() }
        return (sent + waiting).map(\.number)
    }
}

extension PendingRequests {
    /// Throws the first invariant that is broken.
    func checkInvariants(link: ClientState.Link, ids: RequestIDs) throws(BrokenInvariant) {
        let numbers = (sent + waiting).map(\.number)
        try BrokenInvariant.check(
            "requests wait in the order in which they were made",
            zip(waiting, waiting.dropFirst()).allSatisfy { $0.number.value < $1.number.value })
        try BrokenInvariant.check(
            "requests are delayed only while the client is connected", link.isWelcomed || retryAt == nil)
        try BrokenInvariant.check(
            "no two requests have the same number", Set(numbers).count == numbers.count)
        try BrokenInvariant.check(
            "this client has issued the number of each request", numbers.allSatisfy { ids.hasIssued($0) })
        try BrokenInvariant.check(
            "at most \(PendingRequests.maxInFlight) requests are in flight",
            sent.count <= PendingRequests.maxInFlight)
        try BrokenInvariant.check(
            "requests are in flight only while the client is connected", link.isWelcomed || sent.isEmpty)
        try BrokenInvariant.check("a client that ended has no requests", !link.hasEnded || numbers.isEmpty)
    }
}

extension ClientMessage {
    /// Whether the request is idempotent. The server recognises a repeated push or restore by its number.
    fileprivate var isIdempotent: Bool {
        switch self {
        // A repeated copy would find that its name is taken, a repeated request would make a second link, and a link that
        // has ended cannot be ended again.
        case .tags(.copy), .links(.add), .links(.end): false
        // A changed note has another version, so a repeat would be refused.
        case .notes(.change), .notes(.remove): false
        case .notes(.add(let add)): add.request != nil
        case .notes(.list): true
        case .list, .listDeleted, .read, .history, .blame, .push, .restore, .ping, .tags, .links: true
        case .admin(.listTokens), .admin(.counters), .admin(.who), .admin(.listNodes), .admin(.trim),
            .admin(.verify):
            true
        // A repeated redaction would find nothing, and would not say who wrote the passage.
        // A repeated sign-out would also refuse a token that was signed between the two.
        case .admin(.addToken), .admin(.revokeToken), .admin(.signOut), .admin(.redact), .admin(.backUp):
            false
        case .rename, .delete, .undelete, .hello, .authenticate, .open, .close, .select, .diverged,
            .follow, .unfollow, .pong:
            false
        }
    }
}
