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
                    largest: Int(onWire: histogram.largest))
            })
    }
}

extension Int {
    /// The number, but at most the largest integer of the protocol. For nanoseconds that is three months.
    fileprivate init(onWire number: UInt64) { self = Int(Swift.min(number, UInt64(Limits.integer))) }
}
