import Synchronization

/// The waiting elements of a `CoalescingStream`. A new element may be merged with waiting elements, so that
/// the buffer stays small when the reader is slow.
package protocol CoalescingBuffer: Sendable {
    associatedtype Element: Sendable

    /// Removes and returns all waiting elements, in order.
    mutating func drain() -> [Element]
}

/// Passes elements from threads that add them to a task that reads them. The reader waits without blocking a
/// thread.
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

    private enum Poll: Sendable {
        case elements([Buffer.Element])
        /// The stream has changed while the reader waited, so the reader polls again.
        case changed
        case ended((any Error)?)
    }

    private typealias Reader = CheckedContinuation<Poll, Never>

    private struct State {
        var buffer: Buffer
        var end = End.open
        var readers: [Reader] = []

        mutating func removeReaders() -> [Reader] {
            defer { readers = [] }
            return readers
        }

        /// Removes the waiting elements. Returns nil if there are none yet.
        mutating func poll() -> Poll? {
            let elements = buffer.drain()
            if !elements.isEmpty { return .elements(elements) }
            switch end {
            case .open: return nil
            case .ended: return .ended(nil)
            case .failed(let error):
                // The error is thrown only once.
                end = .ended
                return .ended(error)
            }
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
        for reader in readers { reader.resume(returning: .changed) }
    }

    /// Ends the stream. The reader first receives the elements that already wait, and then the error.
    package func finish(throwing error: (any Error)? = nil) {
        let readers = state.withLock { state in
            if case .open = state.end { state.end = error.map { .failed($0) } ?? .ended }
            return state.removeReaders()
        }
        for reader in readers { reader.resume(returning: .changed) }
    }

    /// Waits until there are elements, then removes and returns all of them. Returns nil at the end, or if
    /// the task was cancelled.
    package func next() async throws -> [Buffer.Element]? {
        while true {
            switch await poll() {
            case .elements(let elements): return elements
            case .changed: continue
            case .ended(let error): if let error { throw error } else { return nil }
            }
        }
    }

    private func poll() async -> Poll {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (reader: Reader) in
                let found = state.withLock { state -> Poll? in
                    // If the task was cancelled before it was added to `readers`, `onCancel` could not wake
                    // it.
                    if Task.isCancelled { return .ended(nil) }
                    if let found = state.poll() { return found }
                    state.readers.append(reader)
                    return nil
                }
                if let found { reader.resume(returning: found) }
            }
        } onCancel: {
            // All readers poll again, and the cancelled reader then stops.
            for reader in state.withLock({ $0.removeReaders() }) { reader.resume(returning: .changed) }
        }
    }
}
