import CaretWire

/// Whoever waits for something that a client is told.
struct Waiters {
    var asks: [AskNumber: CheckedContinuation<ServerMessage, any Error>] = [:]
    /// Who wants to know how far a request has come.
    var progress: [AskNumber: @Sendable (RequestProgress) -> Void] = [:]
    var greetings: [AskNumber: CheckedContinuation<Welcome, any Error>] = [:]
    var news: Pipe<PendingNews>?
    var statuses: [Pipe<PendingStatus>] = []
    var documents: [DocumentKey: DocumentWaiters] = [:]

    /// An action with those whom it concerns, who wait no longer for what happens once.
    mutating func orders(for action: ClientAction, _ state: ClientState) -> [ClientOrder] {
        switch action {
        case .connect: return [.connect]
        case .disconnect: return [.disconnect]
        case .send(let message, let id): return [.send(message, id: id)]
        case .greeted(let welcome): return [.adopt(welcome.limits)] + greet(.success(welcome))
        case .answer(let number, let message): return answer(number, .success(message))
        case .fail(let number, let fault): return answer(number, .failure(fault.error))
        case .report(let number, let next): return progress[number].map { [.report($0, next)] } ?? []
        case .tell(let next): return news.map { [.tell($0, next)] } ?? []
        case .update(let key, let update):
            return documents[key]?.orders(for: update, state.documents[key]) ?? []
        case .keep(let key): return [.keep(key)]
        case .end(let fault):
            defer { statuses = [] }
            return greet(.failure(fault)) + (news.map { [.end($0, fault)] } ?? []) + [.endStatuses(statuses)]
                + documents.keys.flatMap { documents[$0]?.taken().ending(with: fault) ?? [] }
        case .wake(let moment): return [.wake(moment)]
        }
    }

    private mutating func answer(
        _ number: AskNumber, _ answer: Result<ServerMessage, any Error>
    ) -> [ClientOrder] {
        progress[number] = nil
        return asks.removeValue(forKey: number).map { [.answer($0, answer)] } ?? []
    }

    private mutating func greet(_ answer: Result<Welcome, any Error>) -> [ClientOrder] {
        defer { greetings = [:] }
        return greetings.values.map { .greet($0, answer) }
    }
}

/// What the shell of a client does, with whom it concerns.
enum ClientOrder {
    case connect
    case disconnect
    case adopt(Limits.Announced)
    case send(ClientMessage, id: RequestID?)
    case answer(CheckedContinuation<ServerMessage, any Error>, Result<ServerMessage, any Error>)
    case report(@Sendable (RequestProgress) -> Void, RequestProgress)
    case greet(CheckedContinuation<Welcome, any Error>, Result<Welcome, any Error>)
    case tell(Pipe<PendingNews>, DocumentNews)
    case end(Pipe<PendingNews>, ConnectionFault)
    case tellStatus([Pipe<PendingStatus>], ConnectionStatus)
    case endStatuses([Pipe<PendingStatus>])
    case update([Pipe<PendingUpdates>], DocumentUpdate)
    case endUpdates([Pipe<PendingUpdates>])
    case reach(CheckedContinuation<Void, any Error>, Result<Void, any Error>)
    case keep(DocumentKey)
    case wake(Moment)
}
