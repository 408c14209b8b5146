import CaretConcurrency
import CaretReplica
import CaretWire
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// Runs a `ClientState`: feeds it what happens, and does what it wants.
///
/// The state is behind a lock, so that anybody may ask and order at any time. What it wants is done on one serial queue,
/// in the order in which it was wanted, and never under the lock.
final class ClientShell: Sendable {
    private struct Held {
        var state: ClientState
        var waiters = Waiters()
        /// What those who wait for it were told last.
        var status = ConnectionStatus.first
    }

    private let address: ServerAddress
    private let queue = DispatchQueue(label: "caret.client")
    private let held: Mutex<Held>
    private let network: Confined<Network, DispatchQueue>
    private let folder: KeepingFolder?

    /// What is unsaved ends with the process.
    convenience init(_ settings: ClientState.Settings) {
        self.init(ClientState(settings), nil)
    }

    /// What is unsaved is kept in a folder.
    convenience init(_ settings: ClientState.Settings, _ folder: KeepingFolder) throws(KeepingFault) {
        self.init(ClientState(settings, kept: try folder.replicas()), folder)
    }

    private init(_ state: sending ClientState, _ folder: KeepingFolder?) {
        address = state.settings.address
        self.folder = folder
        held = Mutex(Held(state: state))
        network = Confined(Network(queue), to: queue)
    }

    func begin() { happened { $0.begun(at: .now) } }

    func close() { happened { $0.closed(at: .now) } }

    // MARK: Requests

    /// `progress` is called on the queue, in front of the answer.
    func ask(
        _ message: ClientMessage, progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> ServerMessage {
        let number = held.withLock { $0.state.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                happened(
                    first: {
                        $0.waiters.asks[number] = answer
                        $0.waiters.progress[number] = progress
                    }, { $0.asked(message, as: number) })
                // Whoever cancelled before the request was known here found nothing to cancel.
                if Task.isCancelled { happened { $0.cancelled(number) } }
            }
        } onCancel: {
            happened { $0.cancelled(number) }
        }
    }

    /// What the server said to welcome the client, as soon as it has.
    func welcome() async throws -> Welcome {
        let number = held.withLock { $0.state.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { greeting in
                let answer: Result<Welcome, any Error>? = held.withLock { held in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    switch held.state.link {
                    case .welcomed(let welcome): return .success(welcome)
                    case .ended(let fault): return .failure(fault)
                    case .idle, .connecting, .greeting, .waiting: break
                    }
                    held.waiters.greetings[number] = greeting
                    return nil
                }
                if let answer { greeting.resume(with: answer) }
            }
        } onCancel: {
            let greeting = held.withLock { $0.waiters.greetings.removeValue(forKey: number) }
            greeting?.resume(throwing: CancellationError())
        }
    }

    func follow(_ message: Follow) -> Pipe<PendingNews> {
        let news = Pipe(PendingNews())
        let old = held.withLock { held in
            defer { held.waiters.news = news }
            return held.waiters.news
        }
        old?.end()
        happened { state in
            if case .ended(let fault) = state.link {
                news.end(throwing: fault)
                return []
            }
            return state.followed(message)
        }
        return news
    }

    /// These news are not wanted any more.
    func unfollow(_ news: Pipe<PendingNews>) {
        news.end()
        let isLatest = held.withLock { held in
            guard held.waiters.news === news else { return false }
            held.waiters.news = nil
            return true
        }
        if isLatest { happened { $0.unfollowed() } }
    }

    // MARK: The connection

    var status: ConnectionStatus { held.withLock { $0.state.status } }

    /// The connection as it is now and as it changes, until the client is over.
    func statuses() -> Pipe<PendingStatus> {
        let pipe = Pipe(PendingStatus())
        let isOver = held.withLock { held in
            pipe.put { $0.latest = held.state.status }
            if case .ended = held.state.link { return true }
            held.waiters.statuses.append(pipe)
            return false
        }
        if isOver { pipe.end() }
        return pipe
    }

    func end(_ statuses: Pipe<PendingStatus>) {
        held.withLock { $0.waiters.statuses.removeAll { $0 === statuses } }
        statuses.end()
    }

    // MARK: Documents

    func open(_ name: WireString, creating: Bool, mode: DocumentMode) -> DocumentKey {
        held.withLock { held in
            let (key, actions) = held.state.opened(name, creating: creating, mode: mode, at: .now)
            held.waiters.documents[key] = DocumentWaiters()
            enqueue(actions, &held)
            return key
        }
    }

    /// Waits until it is so, or never will be.
    func wait(for key: DocumentKey, until goal: DocumentGoal) async throws {
        let number = held.withLock { $0.state.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let answer = held.withLock { held -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if case .ended(let fault) = held.state.link { return .failure(fault) }
                    guard let document = held.state.documents[key] else {
                        return .failure(ConnectionFault.closed)
                    }
                    if let answer = goal.answer(document) { return answer }
                    held.waiters.documents[key]?.goals[number] = (goal, waiter)
                    return nil
                }
                if let answer { waiter.resume(with: answer) }
            }
        } onCancel: {
            let waiter = held.withLock { $0.waiters.documents[key]?.goals.removeValue(forKey: number) }
            waiter?.waiter.resume(throwing: CancellationError())
        }
    }

    /// Waits until what is unsaved of a document by now is in the folder, or saved where there is no folder.
    func wait(untilKept key: DocumentKey) async throws {
        if folder == nil { return try await wait(for: key, until: .saved) }
        // Behind the orders to keep it, which are on the queue already.
        try await withCheckedThrowingContinuation { waiter in
            queue.async { [self] in
                let fault = held.withLock { $0.state.keepingFault(of: key) }
                waiter.resume(with: fault.map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// What is asked of a document, as it is now; nil where it is closed.
    func look<Answer: Sendable>(at key: DocumentKey, _ body: (DocumentState) -> Answer) -> Answer? {
        held.withLock { held in held.state.documents[key].map { body($0) } }
    }

    func change<Answer: Sendable>(
        _ key: DocumentKey,
        _ body: (inout DocumentState, Moment, inout RequestIDs) throws -> (Answer, [DocumentAction])
    ) rethrows -> Answer? {
        try held.withLock { held in
            var answer: Answer?
            let actions = try held.state.change(key) { document, ids in
                let (found, actions) = try body(&document, .now, &ids)
                answer = found
                return actions
            }
            enqueue(actions, &held)
            return answer
        }
    }

    /// The names of closed documents with unsaved edits.
    var unsavedNames: [String] { held.withLock { $0.state.unsavedNames.map(\.string) } }

    /// A number that nobody else has.
    func nextNumber() -> Int { held.withLock { $0.state.nextNumber().value } }

    func close(_ key: DocumentKey) {
        held.withLock { held in
            enqueue(held.state.closed(key), &held)
            let waiters = held.waiters.documents.removeValue(forKey: key)
            if let waiters { enqueue(waiters.ending(with: ConnectionFault.closed)) }
        }
    }

    func updates(of key: DocumentKey) -> Pipe<PendingUpdates> {
        let updates = Pipe(PendingUpdates())
        let isOpen = held.withLock { held in
            held.waiters.documents[key]?.updates.append(updates)
            return held.waiters.documents[key] != nil
        }
        if !isOpen { updates.end() }
        return updates
    }

    func end(_ updates: Pipe<PendingUpdates>, of key: DocumentKey) {
        held.withLock { $0.waiters.documents[key]?.updates.removeAll { $0 === updates } }
        updates.end()
    }

    // MARK: Running

    /// Lets something happen, and has done what comes of it.
    private func happened(
        first: (inout Held) -> Void = { _ in }, _ event: (inout ClientState) -> [ClientAction]
    ) {
        held.withLock { held in
            first(&held)
            enqueue(event(&held.state), &held)
        }
    }

    private func enqueue(_ actions: [ClientAction], _ held: inout Held) {
        let status = held.state.status
        if status != held.status {
            held.status = status
            let statuses = held.waiters.statuses
            enqueue([.tellStatus(statuses, status)])
        }
        let orders = actions.flatMap { held.waiters.orders(for: $0, held.state) }
        enqueue(orders)
    }

    /// To be called under the lock, so that the queue has the orders as they were given.
    private func enqueue(_ orders: [ClientOrder]) {
        if orders.isEmpty { return }
        queue.async { for order in orders { self.run(order) } }
    }

    private func run(_ order: ClientOrder) {
        switch order {
        case .connect: connect()
        case .disconnect: network.value.disconnect()
        case .adopt(let limits): network.value.keep(to: limits)
        case .send(let message, let id): network.value.send(message, id: id)
        case .answer(let waiting, let answer): waiting.resume(with: answer)
        case .report(let listener, let next): listener(next)
        case .greet(let waiting, let answer): waiting.resume(with: answer)
        case .tell(let news, let next): news.put { $0.add(next) }
        case .end(let news, let fault): news.end(throwing: fault)
        case .tellStatus(let statuses, let next): for pipe in statuses { pipe.put { $0.latest = next } }
        case .endStatuses(let statuses): for pipe in statuses { pipe.end() }
        case .update(let updates, let next): for pipe in updates { pipe.put { $0.add(next) } }
        case .endUpdates(let updates): for pipe in updates { pipe.end() }
        case .reach(let waiting, let answer): waiting.resume(with: answer)
        case .keep(let key): keep(key)
        case .wake(let moment):
            let span = max(0, moment.milliseconds - Moment.now.milliseconds)
            queue.asyncAfter(deadline: .now() + .milliseconds(span)) { [weak self] in
                // Clocks differ by a rounding, and an order that came too early would be none.
                self?.happened { $0.timePassed(at: max(moment, .now), .drawn) }
            }
        }
    }

    /// It blocks the queue until it is on disk: what is sent next must not be sent before.
    private func keep(_ key: DocumentKey) {
        guard let folder, let order = held.withLock({ $0.state.takeKeepingOrder(for: key) }) else { return }
        do throws(KeepingFault) {
            switch order {
            case .keep(let document): try folder.keep(document, as: key.value)
            case .forget: try folder.forget(key.value)
            }
        } catch {
            happened { $0.notKept(key, error) }
        }
    }

    private func connect() {
        let number = network.value.prepare { [weak self] in self?.take($0) }
        // The system may ask the network for the address, and blocks the thread until it knows.
        DispatchQueue.global().async { [address, queue, network] in
            let found = Result { () throws(ResolvingFault) in try SystemAddress.resolved(address) }
            queue.async { network.value.found(found, for: number) }
        }
    }

    private func take(_ event: LineConnection.Event) {
        switch event {
        case .connected: happened { $0.connected(at: .now) }
        case .heard(let envelope): happened { $0.heard(envelope, at: .now, .drawn) }
        case .overlong(let message, let id, let bytes, let limit):
            happened { $0.overlong(message, id, bytes: bytes, limit: limit, at: .now) }
        case .cut(let reason): happened { $0.cut(reason, at: .now, .drawn) }
        }
    }
}

extension Moment {
    fileprivate static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(milliseconds: time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
    }
}

extension Luck {
    fileprivate static var drawn: Luck { Luck(.random(in: 0..<1)) }
}
