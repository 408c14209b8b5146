@preconcurrency import Dispatch

/// A value that only one queue touches.
// @unchecked: whoever reads the value is checked to be on the queue, which runs one block at a time.
final class QueueBound<Value>: @unchecked Sendable {
    private let queue: DispatchQueue
    private let bound: Value

    init(_ queue: DispatchQueue, _ value: sending Value) {
        self.queue = queue
        bound = value
    }

    /// Of a value that is the queue's already, as must be whoever makes this.
    init(within queue: DispatchQueue, _ value: Value) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.queue = queue
        bound = value
    }

    var value: Value {
        dispatchPrecondition(condition: .onQueue(queue))
        return bound
    }
}
