@preconcurrency import Dispatch
import Synchronization

/// Calls completions in the order in which their calls were decided: a few at once, many on a queue of its own, while the
/// writer goes on.
///
/// Only the writer's thread adds.
package final class CompletionQueue: Sendable {
    private let queue = DispatchQueue(label: "caret.store.answers")
    /// How many batches the queue has not called yet.
    private let waitingBatches = Atomic(0)

    /// The first completion may have to wake its caller, which costs as much as the append itself. Each of the others
    /// costs a hundredth of that, and to hand them over would wake another thread.
    private static let mostCalledHere = 32

    package init() {}

    package func call(_ completions: [@Sendable () -> Void]) {
        // Earlier completions come first.
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

    /// Calls `completion` after all others.
    func finish(then completion: @escaping @Sendable () -> Void) { queue.async(execute: completion) }
}
