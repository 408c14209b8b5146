import CaretWire

/// The callers that wait for a client: the continuations of requests, and the streams of async sequences.
struct ClientWaiters {
    var requests: [RequestNumber: CheckedContinuation<ServerMessage, any Error>] = [:]
    /// Callbacks for the progress of requests.
    var progress: [RequestNumber: @Sendable (RequestProgress) -> Void] = [:]
    var welcomes: [RequestNumber: CheckedContinuation<Welcome, any Error>] = [:]
    var followEvents: CoalescingStream<PendingFollowEvents>?
    var statuses: [CoalescingStream<PendingStatus>] = []
    var documents: [DocumentKey: DocumentWaiters] = [:]

    /// Turns an action of the state into actions of the shell. Each action of the shell contains the callers
    /// that it resumes. A caller that waits for only one event is then removed.
    mutating func shellActions(for action: ClientAction, _ state: ClientState) -> [ShellAction] {
        switch action {
        case .connect(let server, let timeout): return [.connect(to: server, within: timeout)]
        case .disconnect: return [.disconnect]
        case .send(let message, let id): return [.send(message, id: id)]
        case .welcomed(let welcome):
            return [.setLimits(welcome.limits)] + resumeWelcomes(.success(welcome))
        case .answer(let number, let message): return answer(number, .success(message))
        case .fail(let number, let fault): return answer(number, .failure(fault.error))
        case .reportProgress(let number, let next):
            return progress[number].map { [.reportProgress($0, next)] } ?? []
        case .deliver(let next): return followEvents.map { [.deliver($0, next)] } ?? []
        case .update(let key, let update):
            return documents[key]?.shellActions(for: update, state.documents[key]) ?? []
        case .keep(let key): return [.keep(key)]
        case .end(let fault):
            defer { statuses = [] }
            return resumeWelcomes(.failure(fault)) + (followEvents.map { [.endFollow($0, fault)] } ?? [])
                + [.endStatuses(statuses)]
                + documents.keys.flatMap { documents[$0]?.removeAll().ending(with: fault) ?? [] }
        case .wake(let moment): return [.wake(moment)]
        }
    }

    private mutating func answer(
        _ number: RequestNumber, _ answer: Result<ServerMessage, any Error>
    ) -> [ShellAction] {
        progress[number] = nil
        return requests.removeValue(forKey: number).map { [.answer($0, answer)] } ?? []
    }

    private mutating func resumeWelcomes(_ answer: Result<Welcome, any Error>) -> [ShellAction] {
        defer { welcomes = [:] }
        return welcomes.values.map { .resumeWelcome($0, answer) }
    }
}
