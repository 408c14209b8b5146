@preconcurrency public import Dispatch

/// A value with its own serial queue.
public final class QueueConfined<Value>: Sendable {
    private let confined: Confined<Value?, DispatchQueue>
    private var queue: DispatchQueue { confined.home }

    /// If the queue works in the background, it gives way when processors are scarce.
    public init(_ value: sending Value, on label: String, inBackground: Bool = false) {
        confined = Confined(
            value, to: DispatchQueue(label: label, qos: inBackground ? .background : .unspecified))
    }

    /// Runs `body` on the queue, after all earlier calls.
    public func async(_ body: @escaping @Sendable (inout Value) -> Void) {
        queue.async { [self] in perform(body) }
    }

    /// Runs `body` on the queue after this time. The value must not be closed before.
    public func async(after delay: DispatchTimeInterval, _ body: @escaping @Sendable (inout Value) -> Void) {
        queue.asyncAfter(deadline: .now() + delay) { [self] in perform(body) }
    }

    private func perform(_ body: (inout Value) -> Void) {
        confined.update { value in
            precondition(value != nil, "a call on \(confined.home.label) after it was closed")
            body(&value!)
        }
    }

    /// Runs `body` on the queue, after all earlier calls, and returns its answer.
    public func run<Answer: Sendable>(_ body: @escaping @Sendable (inout Value) -> Answer) async -> Answer {
        await withCheckedContinuation { done in async { done.resume(returning: body(&$0)) } }
    }

    /// Releases the value after all earlier calls.
    public func close(then completion: @escaping @Sendable () -> Void) {
        queue.async { [confined] in
            confined.update { $0 = nil }
            completion()
        }
    }

    public func close() async { await withCheckedContinuation { done in close { done.resume() } } }
}
