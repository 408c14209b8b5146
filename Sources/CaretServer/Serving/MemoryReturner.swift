/// Measures the unused memory of the process, and returns it to the system if the policy says so. Confined to
/// the queue of its owner.
package final class MemoryReturner {
    private var policy: MemoryReturnPolicy?
    private let measure: @Sendable () -> MemoryReturnPolicy.Measurement?
    private let returnMemory: @Sendable () -> Void
    private let onReturn: @Sendable (Int) -> Void

    /// `measure` returns nil if the system does not report the memory. `onReturn` is called with the number of
    /// bytes that were returned.
    package init(
        measure: @escaping @Sendable () -> MemoryReturnPolicy.Measurement?,
        returnMemory: @escaping @Sendable () -> Void, onReturn: @escaping @Sendable (Int) -> Void
    ) {
        self.measure = measure
        self.returnMemory = returnMemory
        self.onReturn = onReturn
    }

    package func returnIfDue() {
        // If the system does not report the memory now, a later check will succeed.
        guard let measurement = measure() else { return }
        guard policy?.mustReturnMemory(measurement) ?? false else {
            policy = policy ?? MemoryReturnPolicy(measurement)
            return
        }
        returnMemory()
        let left = measure()?.unusedBytes ?? measurement.unusedBytes
        policy?.memoryReturned(leaving: left)
        if left < measurement.unusedBytes { onReturn(measurement.unusedBytes - left) }
    }
}
