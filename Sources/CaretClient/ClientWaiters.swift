import CaretWire

/// One of the objects by which a program uses an open document.
struct DocumentUser: Sendable {
    let key: DocumentKey
    let number: Int
}

/// The callers that wait for a client: the continuations of requests, and the streams of async sequences.
struct ClientWaiters {
    var requests: [RequestNumber: CheckedContinuation<ServerMessage, any Error>] = [:]
    /// Callbacks for the progress of requests.
    var progress: [RequestNumber: @Sendable (RequestProgress) -> Void] = [:]
    var welcomes: [RequestNumber: CheckedContinuation<Welcome, any Error>] = [:]
    var followEvents: CoalescingStream<PendingFollowEvents>?
    var statuses: [CoalescingStream<PendingStatus>] = []
    /// The users of each open document: one for each object that the program got from `open` and has not closed.
    private var users: [DocumentKey: [Int: DocumentWaiters]] = [:]
    private var lastUser = 0

    /// Whether a caller waits that gets the fault when the client ends.
    var isAwaited: Bool {
        !requests.isEmpty || !welcomes.isEmpty || followEvents != nil
            || users.values.contains { $0.values.contains { !$0.goals.isEmpty } }
    }

    /// What waits for one user of a document. Nil if the user has closed the document.
    subscript(_ user: DocumentUser) -> DocumentWaiters? {
        get { users[user.key]?[user.number] }
        set { users[user.key]?[user.number] = newValue }
    }

    mutating func addUser(of key: DocumentKey) -> DocumentUser {
        lastUser += 1
        users[key, default: [:]][lastUser] = DocumentWaiters()
        return DocumentUser(key: key, number: lastUser)
    }

    /// Removes a user, and returns what waits for it. Returns nil if the user has closed the document before.
    mutating func remove(_ user: DocumentUser) -> DocumentWaiters? {
        defer { if users[user.key]?.isEmpty == true { users[user.key] = nil } }
        return users[user.key]?.removeValue(forKey: user.number)
    }

    /// The actions that pass an update to the users of a document, except to one that has caused it.
    mutating func shellActions(
        for update: DocumentUpdate, of key: DocumentKey, _ state: ClientState, except author: Int? = nil
    ) -> [ShellAction] {
        let others = (users[key]?.keys.sorted() ?? []).filter { $0 != author }
        return others.flatMap {
            users[key]?[$0]?.shellActions(for: update, state.documents[key]) ?? []
        }
    }

    /// Turns an action of the state into actions of the shell. Each action of the shell contains the callers
    /// that it resumes. A caller that waits for only one event is then removed.
    mutating func shellActions(for action: ClientAction, _ state: ClientState) -> [ShellAction] {
        switch action {
        case .connect(let server, let timeout): return [.connect(to: server, within: timeout)]
        case .fetchToken(let question): return [.fetchToken(question: question)]
        case .keepUser(let user): return [.keepUser(user)]
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
            return shellActions(for: update, of: key, state)
        case .keep(let key): return [.keep(key)]
        case .end(let fault):
            defer { statuses = [] }
            return resumeWelcomes(.failure(fault)) + (followEvents.map { [.endFollow($0, fault)] } ?? [])
                + [.endStatuses(statuses)]
                + endDocuments(with: fault)
        case .wake(let moment): return [.wake(moment)]
        }
    }

    private mutating func endDocuments(with fault: ConnectionFault) -> [ShellAction] {
        let ended = users.values.flatMap(\.values)
        users = users.mapValues { $0.mapValues { _ in DocumentWaiters() } }
        return ended.flatMap { $0.ending(with: fault) }
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
