import CaretConcurrency
import CaretCore
import CaretReplica
import CaretWire
@preconcurrency import Dispatch
import Synchronization

/// Runs a `ClientState`: passes events to it, and runs the actions that it returns.
///
/// A lock protects the state, so any thread may call at any time. The actions run on one serial queue, in the
/// order in which the state returned them, and never under the lock.
final class ClientShell: Sendable {
    private struct GuardedState {
        var state: ClientState
        var waiters = ClientWaiters()
        /// The last connection status that was sent to readers.
        var status = ConnectionStatus.first
        var unseen = UnseenFault()

        /// Nil if the user has closed the document.
        func document(of user: DocumentUser) -> DocumentState? {
            waiters[user] == nil ? nil : state.documents[user.key]
        }
    }

    private let queue = DispatchQueue(label: "caret.client")
    private let guarded: Mutex<GuardedState>
    private let connection: Confined<CurrentConnection, DispatchQueue>
    private let folder: UnsavedEditsFolder?
    /// The app's function for tokens; nil if it has none.
    private let token: TokenSource?

    /// A client that keeps unsaved edits in memory only.
    convenience init(_ settings: ClientState.Settings, token: TokenSource?, warns: Bool) {
        self.init(ClientState(settings), nil, token, warns)
    }

    /// A client that keeps unsaved edits in a folder.
    convenience init(
        _ settings: ClientState.Settings, _ folder: UnsavedEditsFolder, token: TokenSource?, warns: Bool
    ) throws(UnsavedEditsFault) {
        self.init(ClientState(settings, unsaved: try folder.replicas()), folder, token, warns)
    }

    private init(
        _ state: sending ClientState, _ folder: UnsavedEditsFolder?, _ token: TokenSource?, _ warns: Bool
    ) {
        (self.folder, self.token) = (folder, token)
        var guardedState = GuardedState(state: state)
        if !warns { guardedState.unseen.settle() }
        guarded = Mutex(guardedState)
        connection = Confined(CurrentConnection(queue), to: queue)
    }

    /// The server that the client is connected to, or tries next.
    var address: ServerAddress { guarded.withLock { $0.state.rotation.current } }

    func start() { handle { $0.started(at: .now) } }

    func close() { handle { $0.closed(at: .now) } }

    // MARK: Requests

    /// Sends a request and waits for its answer. `progress` is called on the client's queue,
    /// before the answer.
    func request(
        _ message: ClientMessage, progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> ServerMessage {
        let number = guarded.withLock { $0.state.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                handle(
                    first: {
                        $0.waiters.requests[number] = answer
                        $0.waiters.progress[number] = progress
                    }, { $0.requested(message, as: number) })
                // If the task was cancelled before the request was added, `onCancel` found no request. So the
                // request is cancelled here.
                if Task.isCancelled { handle { $0.cancelled(number) } }
            }
        } onCancel: {
            handle { $0.cancelled(number) }
        }
    }

    /// Waits for the server's `welcome` message.
    func welcome() async throws -> Welcome {
        let number = guarded.withLock { $0.state.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let answer: Result<Welcome, any Error>? = guarded.withLock { guarded in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    switch guarded.state.link {
                    case .welcomed(let welcome): return .success(welcome)
                    case .ended(let fault): return .failure(fault)
                    case .idle, .fetchingToken, .connecting, .helloSent, .waiting: break
                    }
                    guarded.waiters.welcomes[number] = waiter
                    return nil
                }
                if let answer { waiter.resume(with: answer) }
            }
        } onCancel: {
            let waiter = guarded.withLock { $0.waiters.welcomes.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    func follow(_ message: Follow) -> CoalescingStream<PendingFollowEvents> {
        let events = CoalescingStream(PendingFollowEvents())
        let old = guarded.withLock { guarded in
            defer { guarded.waiters.followEvents = events }
            return guarded.waiters.followEvents
        }
        old?.finish()
        handle { state in
            if case .ended(let fault) = state.link {
                events.finish(throwing: fault)
                return []
            }
            return state.followed(message)
        }
        return events
    }

    /// Ends a sequence of follow events. If the sequence is the client's current one, the client also sends
    /// `unfollow`.
    func unfollow(_ events: CoalescingStream<PendingFollowEvents>) {
        events.finish()
        let isLatest = guarded.withLock { guarded in
            guard guarded.waiters.followEvents === events else { return false }
            guarded.waiters.followEvents = nil
            return true
        }
        if isLatest { handle { $0.unfollowed() } }
    }

    // MARK: The connection

    var status: ConnectionStatus {
        guarded.withLock { guarded in
            guarded.unseen.settle()
            return guarded.state.status
        }
    }

    /// A stream of the connection status: first the current status, then each change until the client ends.
    func statuses() -> CoalescingStream<PendingStatus> {
        let statuses = CoalescingStream(PendingStatus())
        let hasEnded = guarded.withLock { guarded in
            guarded.unseen.settle()
            statuses.update { $0.latest = guarded.state.status }
            if case .ended = guarded.state.link { return true }
            guarded.waiters.statuses.append(statuses)
            return false
        }
        if hasEnded { statuses.finish() }
        return statuses
    }

    func end(_ statuses: CoalescingStream<PendingStatus>) {
        guarded.withLock { $0.waiters.statuses.removeAll { $0 === statuses } }
        statuses.finish()
    }

    // MARK: Documents

    func open(
        _ name: WireString, creating: Bool, mode: DocumentMode
    ) throws(ServerRefusal) -> DocumentUser {
        try guarded.withLock { guarded throws(ServerRefusal) in
            let (key, actions) = try guarded.state.opened(name, creating: creating, mode: mode, at: .now)
            enqueue(actions, &guarded)
            return guarded.waiters.addUser(of: key)
        }
    }

    /// Waits until the document reaches a goal. Throws if the document can never reach the goal.
    func wait(for user: DocumentUser, until goal: DocumentGoal) async throws {
        let number = guarded.withLock { $0.state.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let answer = guarded.withLock { guarded -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if case .ended(let fault) = guarded.state.link { return .failure(fault) }
                    guard let document = guarded.document(of: user) else {
                        return .failure(ConnectionFault.closed)
                    }
                    if let result = goal.result(for: document) { return result }
                    guarded.waiters[user]?.goals[number] = (goal, waiter)
                    return nil
                }
                if let answer { waiter.resume(with: answer) }
            }
        } onCancel: {
            let waiter = guarded.withLock { $0.waiters[user]?.goals.removeValue(forKey: number) }
            waiter?.waiter.resume(throwing: CancellationError())
        }
    }

    /// Waits until the current unsaved edits of a document are in the client's folder. If the client has no
    /// folder, waits until the server has saved the edits.
    func wait(untilKept user: DocumentUser) async throws {
        if folder == nil { return try await wait(for: user, until: .saved) }
        handle { $0.keepAgain() }
        // The queue already has the actions that write the file, so the actions run before this block.
        try await withCheckedThrowingContinuation { waiter in
            queue.async { [self] in
                let fault = guarded.withLock { $0.state.unsavedEditsFault(of: user.key) }
                waiter.resume(with: fault.map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// Whether the client has a folder for unsaved edits.
    var keeps: Bool { folder != nil }

    func keepingFault(of user: DocumentUser) -> UnsavedEditsFault? {
        guarded.withLock { $0.state.keepingFault(of: user.key) }
    }

    /// Reads a document. Returns nil if the user has closed the document.
    func read<Answer: Sendable>(of user: DocumentUser, _ body: (DocumentState) -> Answer) -> Answer? {
        guarded.withLock { guarded in guarded.document(of: user).map { body($0) } }
    }

    func change<Answer: Sendable>(
        of user: DocumentUser,
        _ body: (inout DocumentState, Moment, inout RequestIDs) throws -> (Answer, [DocumentAction])
    ) rethrows -> Answer? {
        try guarded.withLock { guarded in
            if guarded.waiters[user] == nil { return nil }
            var answer: Answer?
            let actions = try guarded.state.change(user.key) { document, ids in
                let (found, actions) = try body(&document, .now, &ids)
                answer = found
                return actions
            }
            enqueue(actions, &guarded)
            return answer
        }
    }

    /// Applies edits that a user has made. `body` returns them as a change of the document, which the other users
    /// of the document get as an update.
    func edit<Answer: Sendable>(
        of user: DocumentUser,
        _ body: (inout DocumentState, Moment, inout RequestIDs) throws -> (Change, Answer, [DocumentAction])
    ) throws -> Answer? {
        // The error leaves `withLock` as a value. When this closure threw it, the mutex trapped as it was unlocked
        // (Swift 6.3.1).
        try guarded.withLock { guarded in
            Result { try edit(of: user, in: &guarded, body) }
        }.get()
    }

    private func edit<Answer: Sendable>(
        of user: DocumentUser, in guarded: inout GuardedState,
        _ body: (inout DocumentState, Moment, inout RequestIDs) throws -> (Change, Answer, [DocumentAction])
    ) throws -> Answer? {
        if guarded.waiters[user] == nil { return nil }
        var answer: Answer?
        var update: DocumentUpdate?
        let actions = try guarded.state.change(user.key) { document, ids in
            let (change, found, actions) = try body(&document, .now, &ids)
            answer = found
            if !change.isEmpty { update = .edited(change, selections: document.replica.selections) }
            return actions
        }
        if let update {
            enqueue(
                guarded.waiters.shellActions(for: update, of: user.key, guarded.state, except: user.number))
        }
        enqueue(actions, &guarded)
        return answer
    }

    /// Unbinds a view of a user, who may have closed the document.
    func unbind(_ view: Int, from user: DocumentUser) {
        handle { state in state.change(user.key) { document, _ in document.unbind(view) } }
    }

    /// The names of closed documents with unsaved edits.
    var unsavedNames: [String] { guarded.withLock { $0.state.unsavedNames.map(\.string) } }

    /// A number for a request or a view. This client has not used the number before.
    func nextNumber() -> Int { guarded.withLock { $0.state.nextNumber().value } }

    /// Closes a document for one of its users. The last one closes it on the server.
    func close(_ user: DocumentUser) {
        guarded.withLock { guarded in
            guard let waiters = guarded.waiters.remove(user) else { return }
            enqueue(guarded.state.closed(user.key), &guarded)
            enqueue(waiters.ending(with: ConnectionFault.closed))
        }
    }

    /// The updates of a document. They end at once if there is no user, or if the user has closed the document.
    func updates(of user: DocumentUser?) -> CoalescingStream<PendingUpdates> {
        let updates = CoalescingStream(PendingUpdates())
        let isOpen = guarded.withLock { guarded in
            guard let user, guarded.waiters[user] != nil else { return false }
            guarded.waiters[user]?.updates.append(updates)
            return true
        }
        if !isOpen { updates.finish() }
        return updates
    }

    func end(_ updates: CoalescingStream<PendingUpdates>, of user: DocumentUser?) {
        if let user { guarded.withLock { $0.waiters[user]?.updates.removeAll { $0 === updates } } }
        updates.finish()
    }

    // MARK: Running

    /// Passes an event to the state, and enqueues the actions that it returns.
    private func handle(
        first: (inout GuardedState) -> Void = { _ in }, _ event: (inout ClientState) -> [ClientAction]
    ) {
        guarded.withLock { guarded in
            first(&guarded)
            enqueue(event(&guarded.state), &guarded)
        }
    }

    private func enqueue(_ actions: [ClientAction], _ guarded: inout GuardedState) {
        let status = guarded.state.status
        if status != guarded.status {
            guarded.status = status
            let statuses = guarded.waiters.statuses
            enqueue([.updateStatus(statuses, status)])
            if let warning = guarded.unseen.warning(about: status, isAwaited: guarded.waiters.isAwaited) {
                enqueue([.warn(warning)])
            }
        }
        enqueue(actions.flatMap { guarded.waiters.shellActions(for: $0, guarded.state) })
    }

    /// Sends actions to the queue. The caller must hold the lock, so that the queue gets the actions in the
    /// order in which the state returned them.
    private func enqueue(_ actions: [ShellAction]) {
        if actions.isEmpty { return }
        queue.async { for action in actions { self.run(action) } }
    }

    private func run(_ action: ShellAction) {
        switch action {
        case .connect(let server, let timeout): connect(to: server, within: timeout)
        case .fetchToken(let question): fetchToken(question)
        // If this fails, the files of the edits cannot be written either, and that is reported.
        case .keepUser(let user): try? folder?.keep(user: user.string)
        case .disconnect: connection.value.disconnect()
        case .setLimits(let limits): connection.value.setLimits(limits)
        case .send(let message, let id): connection.value.send(message, id: id)
        case .answer(let waiter, let answer): waiter.resume(with: answer)
        case .reportProgress(let callback, let next): callback(next)
        case .resumeWelcome(let waiter, let answer): waiter.resume(with: answer)
        case .deliver(let events, let next): events.update { $0.add(next) }
        case .endFollow(let events, let fault): events.finish(throwing: fault)
        case .updateStatus(let streams, let next):
            for stream in streams { stream.update { $0.latest = next } }
        case .warn(let sentence): systemWarn(sentence)
        case .endStatuses(let streams): for stream in streams { stream.finish() }
        case .update(let streams, let next): for stream in streams { stream.update { $0.add(next) } }
        case .endUpdates(let streams): for stream in streams { stream.finish() }
        case .resumeGoal(let waiter, let answer): waiter.resume(with: answer)
        case .keep(let key): keep(key)
        case .wake(let moment):
            let span = max(0, moment.milliseconds - Moment.now.milliseconds)
            queue.asyncAfter(deadline: .now() + .milliseconds(span)) { [weak self] in
                // The timer and `now` may round differently, so `now` may be slightly before `moment`. `max`
                // prevents this.
                self?.handle { $0.timePassed(at: max(moment, .now), .random) }
            }
        }
    }

    /// Asks the app for a token. The client may be released or ended before the answer.
    private func fetchToken(_ question: Int) {
        guard let token else { return }
        Task { [weak self] in
            let answer: FetchedToken
            do { answer = .token(try await token().map { WireString($0.withoutWhitespaceAtEnds) }) } catch {
                answer = .failure("\(error)")
            }
            self?.handle { $0.fetched(answer, to: question, at: .now, .random) }
        }
    }

    /// Writes or removes the file with the unsaved edits of a document. This call blocks the queue until the
    /// file is on disk, because the queue must not send later messages before that.
    private func keep(_ key: DocumentKey) {
        guard let folder, let action = guarded.withLock({ $0.state.nextFileAction(for: key) }) else { return }
        do throws(UnsavedEditsFault) {
            switch action {
            case .write(let document):
                try folder.keep(document, as: key.value)
                handle { $0.kept(key) }
            case .remove: try folder.forget(key.value)
            }
        } catch {
            handle { $0.notKept(key, error, at: .now) }
        }
    }

    private func connect(to server: ServerAddress, within timeout: Milliseconds) {
        let number = connection.value.prepare(within: timeout) { [weak self] in self?.handle($0) }
        // Resolving the address may wait for the network, so it must not run on the client's queue.
        DispatchQueue.global().async { [queue, connection] in
            let resolved = Result { () throws(ResolvingFault) in try ResolvedServer(server) }
            queue.async { connection.value.resolved(resolved, for: number) }
        }
    }

    private func handle(_ event: LineConnection.Event) {
        switch event {
        case .connected: handle { $0.connected(at: .now) }
        case .received(let envelope): handle { $0.received(envelope, at: .now, .random) }
        case .lineTooLong(let message, let id, let bytes, let limit):
            handle { $0.lineTooLong(message, id, bytes: bytes, limit: limit, at: .now) }
        case .disconnected(let reason): handle { $0.disconnected(reason, at: .now, .random) }
        }
    }
}

extension Moment {
    fileprivate static var now: Moment {
        Moment(milliseconds: Int(DispatchTime.now().uptimeNanoseconds / 1_000_000))
    }
}

extension Jitter {
    fileprivate static var random: Jitter { Jitter(.random(in: 0..<1)) }
}

extension String {
    /// No token has white space, but a file or a response often ends with a line break.
    fileprivate var withoutWhitespaceAtEnds: String {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
