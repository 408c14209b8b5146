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
    }

    private let address: ServerAddress
    private let queue = DispatchQueue(label: "caret.client")
    private let held: Mutex<Held>
    private let network: QueueBound<Network>

    init(_ settings: ClientState.Settings) {
        address = settings.address
        held = Mutex(Held(state: ClientState(settings)))
        network = QueueBound(queue, Network(queue))
    }

    func begin() { happened { $0.begun(at: .now) } }

    func close() { happened { $0.closed() } }

    // MARK: Requests

    func ask(_ message: ClientMessage) async throws -> ServerMessage {
        let number = held.withLock { $0.state.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                happened(first: { $0.waiters.asks[number] = answer }, { $0.asked(message, as: number) })
                // Whoever cancelled before the request was known here found nothing to cancel.
                if Task.isCancelled { happened { $0.cancelled(number) } }
            }
        } onCancel: {
            happened { $0.cancelled(number) }
        }
    }

    /// What the server said to welcome the client, as soon as it has.
    func welcome() async throws -> Welcome {
        try await withCheckedThrowingContinuation { greeting in
            let answer: Result<Welcome, any Error>? = held.withLock { held in
                switch held.state.link {
                case .welcomed(let welcome): return .success(welcome)
                case .ended(let fault): return .failure(fault)
                case .idle, .connecting, .greeting, .waiting: break
                }
                held.waiters.greetings.append(greeting)
                return nil
            }
            if let answer { greeting.resume(with: answer) }
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

    // MARK: Running

    /// Lets something happen, and has done what comes of it.
    private func happened(
        first: (inout Held) -> Void = { _ in }, _ event: (inout ClientState) -> [ClientAction]
    ) {
        held.withLock { held in
            first(&held)
            let orders = event(&held.state).flatMap { held.waiters.orders(for: $0) }
            // Under the lock, so that the queue has them in the order in which they were given.
            if !orders.isEmpty { queue.async { for order in orders { self.run(order) } } }
        }
    }

    private func run(_ order: ClientOrder) {
        switch order {
        case .connect: connect()
        case .disconnect: network.value.disconnect()
        case .keep(let limits): network.value.keep(to: limits)
        case .send(let message, let id): network.value.send(message, id: id)
        case .answer(let waiting, let answer): waiting.resume(with: answer)
        case .greet(let waiting, let answer): waiting.resume(with: answer)
        case .tell(let news, let next): news.put { $0.add(next) }
        case .end(let news, let fault): news.end(throwing: fault)
        case .wake(let moment):
            let span = max(0, moment.milliseconds - Moment.now.milliseconds)
            queue.asyncAfter(deadline: .now() + .milliseconds(span)) { [weak self] in
                self?.happened { $0.timePassed(at: .now, .drawn) }
            }
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
        case .overlong(let id, let bytes, let limit):
            happened { $0.overlong(id, bytes: bytes, limit: limit) }
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
