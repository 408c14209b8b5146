import Synchronization

/// The waiting elements of a `CoalescingStream`. Adding an element may merge it with waiting ones, so that the buffer
/// stays small when the reader is slow.
package protocol CoalescingBuffer: Sendable {
    associatedtype Element: Sendable

    var isEmpty: Bool { get }

    /// Removes and returns all waiting elements, in order.
    mutating func drain() -> [Element]
}

/// Passes elements from threads that add them to a task that reads them. The reader waits without blocking a thread.
package final class CoalescingStream<Buffer: CoalescingBuffer>: Sendable {
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
        var buffer: Buffer
        var end = End.open
        var readers: [CheckedContinuation<Void, Never>] = []

        mutating func removeReaders() -> [CheckedContinuation<Void, Never>] {
            defer { readers = [] }
            return readers
        }
    }

    private let state: Mutex<State>

    package init(_ buffer: Buffer) { state = Mutex(State(buffer: buffer)) }

    /// Adds elements, and wakes the readers.
    package func update(_ body: (inout Buffer) -> Void) {
        let readers = state.withLock { state in
            body(&state.buffer)
            return state.removeReaders()
        }
        for reader in readers { reader.resume() }
    }

    /// Ends the stream. The reader still receives the waiting elements, and then the error.
    package func finish(throwing error: (any Error)? = nil) {
        let readers = state.withLock { state in
            if case .open = state.end { state.end = error.map { .failed($0) } ?? .ended }
            return state.removeReaders()
        }
        for reader in readers { reader.resume() }
    }

    /// Waits until there are elements, and removes and returns all of them. Nil at the end, and if the task was
    /// cancelled.
    package func next() async throws -> [Buffer.Element]? {
        while !Task.isCancelled {
            switch poll() {
            case .elements(let elements): return elements
            case .empty: await waitForChange()
            case .ended(let error): if let error { throw error } else { return nil }
            }
        }
        return nil
    }

    private enum Poll {
        case elements([Buffer.Element])
        case empty
        case ended((any Error)?)
    }

    private func poll() -> Poll {
        state.withLock { state in
            let elements = state.buffer.drain()
            if !elements.isEmpty { return .elements(elements) }
            switch state.end {
            case .open: return .empty
            case .ended: return .ended(nil)
            case .failed(let error):
                // The error is thrown only once.
                state.end = .ended
                return .ended(error)
            }
        }
    }

    private func waitForChange() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let hasChanged = state.withLock { state in
                    // An element, the end or a cancellation may have come since the last poll.
                    if !state.buffer.isEmpty || state.end.isReached || Task.isCancelled { return true }
                    state.readers.append(reader)
                    return false
                }
                if hasChanged { reader.resume() }
            }
        } onCancel: {
            // All readers poll again, and the cancelled one then stops.
            for reader in state.withLock({ $0.removeReaders() }) { reader.resume() }
        }
    }
}
