@preconcurrency public import Dispatch

/// Works for serial queues only. Never confine a value to a concurrent queue.
extension DispatchQueue: Confinement {
    @inlinable public func check(_: Void) { dispatchPrecondition(condition: .onQueue(self)) }
}
