import Synchronization

/// The part that the epochs of all documents have in common, as every connection of a store sees it.
package final class Generation: Sendable {
    private let current: Atomic<UInt64>

    package init(_ value: UInt64) { current = Atomic(value) }

    var value: UInt64 { current.load(ordering: .acquiring) }

    /// Another one holds from now on, which is on disk.
    func renew(to value: UInt64) { current.store(value, ordering: .releasing) }
}
