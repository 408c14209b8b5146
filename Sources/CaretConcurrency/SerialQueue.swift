@preconcurrency public import Dispatch

/// A serial queue runs one block at a time. Never confine a value to a concurrent queue.
extension DispatchQueue: Confinement {
    @inlinable public func check(_: Void) { dispatchPrecondition(condition: .onQueue(self)) }
}
