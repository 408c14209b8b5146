@preconcurrency import Dispatch

/// A value that only one queue touches.
// @unchecked: every way to the value goes through the queue, which runs one block at a time.
final class Confined<Value>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var value: Value?

    /// `qos` says how the queue fares when others want the processor too.
    init(to label: String, qos: DispatchQoS = .unspecified, _ value: sending Value) {
        queue = DispatchQueue(label: label, qos: qos)
        self.value = value
    }

    /// Does `body` when its turn comes.
    func async(_ body: @escaping @Sendable (inout Value) -> Void) {
        queue.async {
            guard self.value != nil else {
                preconditionFailure("a call on \(self.queue.label), which was closed")
            }
            body(&self.value!)
        }
    }

    /// Does `body` when its turn comes, and answers with what it gives.
    func done<Answer: Sendable>(_ body: @escaping @Sendable (inout Value) -> Answer) async -> Answer {
        await withCheckedContinuation { done in async { done.resume(returning: body(&$0)) } }
    }

    /// Gives the value up once all calls before are done.
    func close(then completion: @escaping @Sendable () -> Void) {
        queue.async {
            self.value = nil
            completion()
        }
    }

    func closed() async { await withCheckedContinuation { done in close { done.resume() } } }
}
