import CaretCore
import CaretWire

/// The requests that have no answer yet.
package struct Asks: Equatable {
    private struct Ask: Equatable {
        let number: AskNumber
        let message: ClientMessage
    }

    /// So many are on their way at once. The server answers one after the other, and reads no more than 64 ahead: what
    /// waits here can still be taken back, or go over another connection.
    package static let atOnce = 16
    /// The limit of requests without an answer. An offline client keeps its requests until it connects again. The limit
    /// bounds their memory.
    package static let mostUnanswered = 10_000

    private var waiting: [Ask] = []
    /// In the order in which they were sent.
    private var sent: [Ask] = []

    /// False if the limit is reached: the request is not added.
    mutating func add(_ message: ClientMessage, as number: AskNumber) -> Bool {
        guard waiting.count + sent.count < Asks.mostUnanswered else { return false }
        waiting.append(Ask(number: number, message: message))
        return true
    }

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty }

    /// What is to be sent now.
    mutating func nextToSend() -> [ClientAction] {
        let count = min(waiting.count, max(0, Asks.atOnce - sent.count))
        let next = waiting.prefix(count)
        waiting.removeFirst(count)
        sent.append(contentsOf: next)
        return next.map { .send($0.message, id: $0.number.id) }
    }

    /// The request that this id belongs to, which has no answer yet.
    func number(of id: RequestID?) -> AskNumber? { sent.first { $0.number.id == id }?.number }

    /// The request that this id belongs to has its answer.
    mutating func answered(_ id: RequestID?) -> AskNumber? {
        guard let index = sent.firstIndex(where: { $0.number.id == id }) else { return nil }
        return sent.remove(at: index).number
    }

    /// The server has not begun with this request, and will not.
    mutating func putBack(_ id: RequestID?) {
        guard let index = sent.firstIndex(where: { $0.number.id == id }) else { return }
        waiting.insert(sent.remove(at: index), at: 0)
    }

    /// False where nobody waits for this one any more.
    mutating func cancel(_ number: AskNumber) -> Bool {
        let count = waiting.count + sent.count
        waiting.removeAll { $0.number == number }
        sent.removeAll { $0.number == number }
        return waiting.count + sent.count < count
    }

    /// The connection is gone: the answer is those that cannot be asked again, since they may have been done.
    mutating func cut() -> [AskNumber] {
        let lost = sent.filter { !$0.message.isRepeatable }.map(\.number)
        waiting = sent.filter(\.message.isRepeatable) + waiting
        sent = []
        return lost
    }

    mutating func removeAll() -> [AskNumber] {
        defer { self = Asks() }
        return (sent + waiting).map(\.number)
    }
}

extension Asks {
    /// Throws the first invariant that does not hold.
    func checkInvariants(link: ClientState.Link, ids: RequestIDs) throws(BrokenInvariant) {
        let numbers = (sent + waiting).map(\.number)
        try BrokenInvariant.check(
            "no two requests have the same number", Set(numbers).count == numbers.count)
        try BrokenInvariant.check(
            "each request has a number that this client gave out", numbers.allSatisfy { ids.gaveOut($0) })
        try BrokenInvariant.check(
            "at most \(Asks.atOnce) requests are on their way", sent.count <= Asks.atOnce)
        try BrokenInvariant.check(
            "requests are on their way only while the client is welcome", link.isWelcomed || sent.isEmpty)
        try BrokenInvariant.check("a client that ended has no requests", !link.hasEnded || isEmpty)
    }
}

extension ClientMessage {
    /// Done twice it does what it does done once. A push or restore is known again by its number.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .list, .read, .history, .push, .restore, .ping: true
        case .admin(.listTokens), .admin(.counters), .admin(.who), .admin(.listDeleted), .admin(.trim),
            .admin(.verify):
            true
        case .admin(.addToken), .admin(.revokeToken), .admin(.undelete), .admin(.backUp): false
        case .rename, .delete, .hello, .open, .close, .select, .diverged, .follow, .unfollow, .pong: false
        }
    }
}
