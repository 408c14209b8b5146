import CaretConcurrency
@preconcurrency import Dispatch

/// A value with a queue of its own, which runs one call after the other.
final class QueueConfined<Value>: Sendable {
    private let confined: Confined<Value?, DispatchQueue>
    private var queue: DispatchQueue { confined.home }

    /// `qos` says how the queue fares when others want the processor too.
    init(_ value: sending Value, on label: String, qos: DispatchQoS = .unspecified) {
        confined = Confined(value, to: DispatchQueue(label: label, qos: qos))
    }

    /// Runs `body` when its turn comes.
    func async(_ body: @escaping @Sendable (inout Value) -> Void) {
        queue.async { [confined] in
            confined.update { value in
                guard value != nil else {
                    preconditionFailure("a call on \(confined.home.label), which was closed")
                }
                body(&value!)
            }
        }
    }

    /// Runs `body` when its turn comes, and returns its answer.
    func done<Answer: Sendable>(_ body: @escaping @Sendable (inout Value) -> Answer) async -> Answer {
        await withCheckedContinuation { done in async { done.resume(returning: body(&$0)) } }
    }

    /// Lets go of the value after all earlier calls.
    func close(then completion: @escaping @Sendable () -> Void) {
        queue.async { [confined] in
            confined.update { $0 = nil }
            completion()
        }
    }

    func closed() async { await withCheckedContinuation { done in close { done.resume() } } }
}
