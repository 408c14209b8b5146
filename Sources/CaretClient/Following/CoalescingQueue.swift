import Synchronization

/// What waits for whoever takes it. It joins what comes, so that it stays small when nobody takes for long.
package protocol Pending: Sendable {
    associatedtype Element: Sendable

    var isEmpty: Bool { get }

    /// All that waits, in order; nothing waits any more.
    mutating func take() -> [Element]
}

/// Hands what anybody puts in to whoever reads, who waits without holding a thread.
package final class Pipe<Content: Pending>: Sendable {
    private enum End {
        case open
        case ended
        case failed(any Error)

        var isReached: Bool {
            switch self {
            case .open: false
            case .ended, .failed: true
            }
        }
    }

    private struct State {
        var content: Content
        var end = End.open
        var readers: [CheckedContinuation<Void, Never>] = []

        mutating func takeReaders() -> [CheckedContinuation<Void, Never>] {
            defer { readers = [] }
            return readers
        }
    }

    private let state: Mutex<State>

    package init(_ content: Content) { state = Mutex(State(content: content)) }

    package func put(_ body: (inout Content) -> Void) {
        let readers = state.withLock { state in
            body(&state.content)
            return state.takeReaders()
        }
        for reader in readers { reader.resume() }
    }

    /// Nothing comes any more; what waits is still handed over, and then the error.
    package func end(throwing error: (any Error)? = nil) {
        let readers = state.withLock { state in
            if case .open = state.end { state.end = error.map { .failed($0) } ?? .ended }
            return state.takeReaders()
        }
        for reader in readers { reader.resume() }
    }

    /// What has come since the last call, as soon as there is something; nil at the end, and for a task that was
    /// cancelled.
    package func next() async throws -> [Content.Element]? {
        while !Task.isCancelled {
            switch take() {
            case .some(let elements): return elements
            case .none: await somethingHappens()
            case .over(let error): if let error { throw error } else { return nil }
            }
        }
        return nil
    }

    private enum Taken {
        case some([Content.Element])
        case none
        case over((any Error)?)
    }

    private func take() -> Taken {
        state.withLock { state in
            let elements = state.content.take()
            if !elements.isEmpty { return .some(elements) }
            switch state.end {
            case .open: return .none
            case .ended: return .over(nil)
            case .failed(let error):
                // It is told once.
                state.end = .ended
                return .over(error)
            }
        }
    }

    private func somethingHappens() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let isOver = state.withLock { state in
                    // It may have come, or the task may have been cancelled, since it was looked last.
                    if !state.content.isEmpty || state.end.isReached || Task.isCancelled { return true }
                    state.readers.append(reader)
                    return false
                }
                if isOver { reader.resume() }
            }
        } onCancel: {
            // All look again, and the cancelled one sees that it is.
            for reader in state.withLock({ $0.takeReaders() }) { reader.resume() }
        }
    }
}
