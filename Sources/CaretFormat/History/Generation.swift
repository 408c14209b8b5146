import Synchronization

/// The common part of all documents' epochs, shared by all connections of a store.
package final class Generation: Sendable {
    private let current: Atomic<UInt64>

    package init(_ value: UInt64) { current = Atomic(value) }

    package var value: UInt64 { current.load(ordering: .acquiring) }

    /// Sets a new generation, which must already be on disk.
    package func renew(to value: UInt64) { current.store(value, ordering: .releasing) }
}
