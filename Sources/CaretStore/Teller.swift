@preconcurrency import Dispatch
import Synchronization

/// Tells callers what came of their calls, in the order in which it came: a few by whoever found it out, many by a
/// queue of its own, while the writer goes on.
///
/// Only the writer's thread adds.
package final class Teller: Sendable {
    private let queue = DispatchQueue(label: "caret.store.answers")
    /// How many lots the queue has not told yet.
    private let waiting = Atomic(0)

    /// The first that is told may have to be woken, which costs as much as to append what he sent; to tell the others
    /// costs a hundredth of that, and another thread that did it would have to be woken too.
    private static let mostToldHere = 32

    func tell(_ answers: [@Sendable () -> Void]) {
        // What came before is told before.
        if answers.count <= Teller.mostToldHere, waiting.load(ordering: .acquiring) == 0 {
            for answer in answers { answer() }
            return
        }
        waiting.add(1, ordering: .relaxed)
        queue.async { [self] in
            for answer in answers { answer() }
            waiting.subtract(1, ordering: .releasing)
        }
    }

    /// Calls back once everything is told.
    func finish(then completion: @escaping @Sendable () -> Void) { queue.async(execute: completion) }
}
