import CaretConfig
import CaretWire

extension CounterValues {
    /// All counters, with their documented names.
    init(_ counts: Counts, since: Int64) {
        self.init(
            since: Int(since),
            counters: counts.rows.map { Counter(name: WireString($0.name), value: Int(onWire: $0.value)) },
            latencies: CaretConfig.Latency.allCases.map { latency in
                let histogram = counts[latency]
                return Latency(
                    name: WireString(latency.name), count: Int(onWire: histogram.count),
                    median: Int(onWire: histogram.percentile(50)),
                    percentile99: Int(onWire: histogram.percentile(99)),
                    largest: Int(onWire: histogram.largest), sum: Int(onWire: histogram.sum),
                    buckets: CounterValues.powers.map { power in
                        Bucket(bound: 1 << power, count: Int(onWire: histogram.count(below2ToThe: power)))
                    })
            })
    }

    /// The bounds of the buckets as powers of two, in nanoseconds: from a quarter of a millisecond to nine seconds.
    private static let powers = 18...33
}

extension Int {
    /// The number, but at most the largest integer of the protocol. A counter of nanoseconds reaches that
    /// integer after three months.
    fileprivate init(onWire number: UInt64) { self = Int(Swift.min(number, UInt64(Limits.integer))) }
}
