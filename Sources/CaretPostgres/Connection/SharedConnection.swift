import CaretConcurrency
@preconcurrency import Dispatch
import Synchronization

/// A connection that several kinds of calls share, or what uses it, with a queue that runs the calls in the order of
/// `CallOrder`.
final class SharedConnection<Value>: Sendable {
    typealias Call = @Sendable (inout Value) -> Void

    private let confined: Confined<Value?, DispatchQueue>
    private let order = Mutex(CallOrder<Call>())
    private var queue: DispatchQueue { confined.home }

    init(_ value: sending Value, on label: String) {
        confined = Confined(value, to: DispatchQueue(label: label))
    }

    func async(as callClass: CallClass, _ body: @escaping Call) {
        order.withLock { $0.add(body, as: callClass) }
        // Each call has one turn of the queue, and a turn runs the call that is the first one then.
        queue.async { [self] in runNext() }
    }

    /// Adds the call after this time. The value must not be closed before.
    func async(
        as callClass: CallClass, after delay: DispatchTimeInterval, _ body: @escaping Call
    ) {
        queue.asyncAfter(deadline: .now() + delay) { [self] in async(as: callClass, body) }
    }

    /// Runs `body` when its turn comes, and returns its answer.
    func run<Answer: Sendable>(
        as callClass: CallClass, _ body: @escaping @Sendable (inout Value) -> Answer
    ) async -> Answer {
        await withCheckedContinuation { done in
            async(as: callClass) { done.resume(returning: body(&$0)) }
        }
    }

    private func runNext() {
        guard let call = order.withLock({ $0.next() }) else {
            preconditionFailure("a turn on \(queue.label) has no call")
        }
        confined.update { value in
            precondition(value != nil, "a call on \(queue.label) after it was closed")
            call(&value!)
        }
    }

    /// A value that is used in calls of this connection only. It must be made in one of them.
    func confine<Other>(_ other: Other) -> Confined<Other, DispatchQueue> {
        Confined(other, within: queue)
    }

    /// Releases the value after all earlier calls.
    func close() async {
        await withCheckedContinuation { done in
            queue.async { [confined] in
                confined.update { $0 = nil }
                done.resume()
            }
        }
    }
}
