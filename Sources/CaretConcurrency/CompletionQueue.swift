@preconcurrency import Dispatch
import Synchronization

/// Calls the completions of committed calls, in the order of the commits. A few completions run directly on
/// the writer's thread. Many run on a separate queue, so that the writer can continue.
///
/// Only the writer's thread may use this object.
public final class CompletionQueue: Sendable {
    private let queue = DispatchQueue(label: "caret.store.answers")
    /// The number of batches that the queue has not finished yet.
    private let waitingBatches = Atomic(0)

    /// The most completions that run on the writer's thread. The first may have to wake its caller, which
    /// costs as much as the append. Each further completion costs a hundredth of that. Moving the completions
    /// to the queue would also wake a thread.
    private static let mostCalledHere = 32

    public init() {}

    public func call(_ completions: [@Sendable () -> Void]) {
        // Call directly only if no earlier batch is waiting: earlier completions come first.
        if completions.count <= CompletionQueue.mostCalledHere, waitingBatches.load(ordering: .acquiring) == 0
        {
            for completion in completions { completion() }
            return
        }
        waitingBatches.add(1, ordering: .relaxed)
        queue.async { [self] in
            for completion in completions { completion() }
            waitingBatches.subtract(1, ordering: .releasing)
        }
    }

    /// Calls `completion` after all earlier completions.
    public func finish(then completion: @escaping @Sendable () -> Void) { queue.async(execute: completion) }
}
