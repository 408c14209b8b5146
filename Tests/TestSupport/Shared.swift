import Synchronization

/// A value with a lock, for several queues.
public final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    public init(_ value: Value) { mutex = Mutex(value) }

    public var value: Value { mutex.withLock { $0 } }

    public func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}
