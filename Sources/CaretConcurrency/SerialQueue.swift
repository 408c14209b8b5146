@preconcurrency public import Dispatch

/// A serial queue runs one block at a time. Confine nothing to a concurrent one.
extension DispatchQueue: Confinement {
    @inlinable public func check(_: Void) { dispatchPrecondition(condition: .onQueue(self)) }
}
