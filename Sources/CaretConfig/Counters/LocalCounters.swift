package import CaretWire
import Synchronization

/// The counters of one loop or queue. Only one thread at a time may add, so adding needs neither a lock nor
/// an atomic addition. Other threads may read the numbers at any time, without a lock.
package struct LocalCounters {
    package let slots: CounterSlots

    package func add(_ count: Int = 1, to counter: Counter) {
        slots.add(UInt64(count), at: counter.rawValue)
    }

    /// Counts errors with this code that were sent to clients.
    package func countRefusal(_ code: ErrorCode, times count: Int = 1) {
        slots.add(UInt64(count), at: CounterSlots.refusals + code.slot)
    }

    /// Counts events that took this long each.
    package func record(_ nanoseconds: UInt64, as latency: Latency, times count: Int = 1) {
        slots.record(nanoseconds, times: UInt64(count), at: CounterSlots.start(of: latency))
    }
}

// Not Sendable: if two threads added at once, one addition would be lost.
@available(*, unavailable) extension LocalCounters: Sendable {}

/// The numbers of one `LocalCounters`. Only its owner writes them, but any thread may read them. A reader
/// never sees half of a number, but may see numbers of different moments.
package final class CounterSlots: Sendable {
    static let refusals = Counter.allCases.count
    private static let latencies = refusals + ErrorCode.allCases.count
    /// How many slots a histogram needs: for its ranges, its sum and its largest number.
    private static let latencySlots = Buckets.count + 2

    static func start(of latency: Latency) -> Int { latencies + latency.rawValue * latencySlots }

    private static let count = latencies + Latency.allCases.count * latencySlots

    /// The array is stored inline, so that an addition follows no pointer. It has a few more slots than
    /// needed.
    private let slots = InlineArray<2112, Atomic<UInt64>> { _ in Atomic(0) }

    init() {
        precondition(Self.count <= slots.count, "\(Self.count) counters need more than \(slots.count) slots")
    }

    // MARK: Called by the owner

    @inline(__always)
    fileprivate func add(_ count: UInt64, at index: Int) {
        slots[index].store(slots[index].load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    @inline(__always)
    fileprivate func record(_ number: UInt64, times count: UInt64, at start: Int) {
        add(count, at: start + Buckets.index(of: number))
        add(number &* count, at: start + Buckets.count)
        let largest = start + Buckets.count + 1
        if number > slots[largest].load(ordering: .relaxed) {
            slots[largest].store(number, ordering: .relaxed)
        }
    }

    // MARK: Called by any thread

    package var counts: Counts {
        Counts(
            counters: numbers(0..<Self.refusals), refusals: numbers(Self.refusals..<Self.latencies),
            latencies: Latency.allCases.map { histogram(at: Self.start(of: $0)) })
    }

    private func numbers(_ range: Range<Int>) -> [UInt64] {
        range.map { slots[$0].load(ordering: .relaxed) }
    }

    private func histogram(at start: Int) -> Histogram {
        let end = start + Buckets.count
        return Histogram(
            counts: numbers(start..<end), sum: slots[end].load(ordering: .relaxed),
            largest: slots[end + 1].load(ordering: .relaxed))
    }
}
