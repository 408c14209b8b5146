package import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The counters of a server since its start. `docs/watching.md` explains each name.
public struct ServerCounters: Equatable, Sendable {
    public struct Counter: Equatable, Sendable {
        public let name: String
        public let value: Int
    }

    /// The latencies of one kind of work, in nanoseconds.
    public struct Latency: Equatable, Sendable {
        public let name: String
        public let count: Int
        public let median: Int
        public let percentile99: Int
        public let largest: Int
    }

    public let since: Date
    public let counters: [Counter]
    public let latencies: [Latency]

    package init(_ answer: CounterValues) {
        since = Date(milliseconds: answer.since)
        counters = answer.counters.map { Counter(name: $0.name.string, value: $0.value) }
        latencies = answer.latencies.map {
            Latency(
                name: $0.name.string, count: $0.count, median: $0.median, percentile99: $0.percentile99,
                largest: $0.largest)
        }
    }
}
