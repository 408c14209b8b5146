package import CaretClient
import CaretWire
package import FoundationEssentials

/// The counters of a server at one time, and their growth since the previous reading.
package struct TopReading: Sendable {
    let time: Date
    package let counters: ServerCounters
    /// The time of the previous reading, or the start of the server.
    let intervalStart: Date
    private let before: [String: Int]

    package init(_ counters: ServerCounters, at time: Date, after last: TopReading? = nil) {
        (self.time, self.counters) = (time, counters)
        // A restarted server counts from zero, so a reading from before the restart is ignored.
        let last = last?.counters.since == counters.since ? last : nil
        intervalStart = last?.time ?? counters.since
        before =
            last.map { last in
                Dictionary(last.counters.counters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            } ?? [:]
    }

    /// The growth of a counter; nil if it is a level.
    func growth(_ counter: ServerCounters.Counter) -> Int? {
        CounterValues.levels.contains(WireString(counter.name))
            ? nil : counter.value - before[counter.name, default: 0]
    }

    /// The length of the interval. At least 1, because the clocks of server and client can differ.
    var milliseconds: Int { max(1, Int((time.timeIntervalSince(intervalStart) * 1_000).rounded())) }

    /// The growth of a counter per second, in tenths.
    package func rate(_ counter: ServerCounters.Counter) -> Int? {
        growth(counter).map { $0 * 10_000 / milliseconds }
    }

    private func counter(_ name: String) -> ServerCounters.Counter? {
        counters.counters.first { $0.name == name }
    }

    // MARK: For programs

    static let plainCounters = [
        "connections", "open_rooms", "pushes", "changes", "commits", "deliveries", "bytes_in", "bytes_out",
    ]

    /// One line for programs, with tabs between the fields: the time, the counters of `plainCounters`, and
    /// the median and p99 of `ack`. A level is printed as it is. Every other counter is printed per second.
    package var plain: String {
        let counts = TopReading.plainCounters.map { name in
            guard let counter = counter(name) else { return "" }
            return rate(counter)?.tenths ?? "\(counter.value)"
        }
        let ack = counters.latencies.first { $0.name == "ack" }
        let times = [ack?.median, ack?.percentile99].map { ($0 ?? 0).milliseconds }
        return ([Stamp.universal(time)] + counts + times).joined(separator: "\t")
    }

    var json: JSON {
        .object([
            "time": .text(Stamp.universal(time)), "since": .text(Stamp.universal(counters.since)),
            "milliseconds": .number(milliseconds),
            "counters": .object(counters.counters.map { ($0.name, .number($0.value)) }),
            "came": .object(
                counters.counters.compactMap { counter in
                    growth(counter).map { (counter.name, .number($0)) }
                }),
            "latencies": .object(
                counters.latencies.map { latency in
                    (
                        latency.name,
                        .object([
                            "count": .number(latency.count), "p50": .number(latency.median),
                            "p99": .number(latency.percentile99), "max": .number(latency.largest),
                        ])
                    )
                }),
        ])
    }
}

extension Int {
    /// `12.3` for 123.
    var tenths: String { "\(self / 10).\(self % 10)" }

    /// Nanoseconds as milliseconds: `1.9` for 1,900,000.
    var milliseconds: String { (self / 100_000).tenths }
}
