/// Requests all counters of the server.
package struct ReadCounters: WireMessage {
    package static var type: StaticString { "counters" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// The answer to `counters`.
package struct CounterValues: WireMessage {
    package static var type: StaticString { "counted" }

    package struct Counter: Equatable, Sendable {
        package var name: WireString
        package var value: Int

        package init(name: WireString, value: Int) {
            self.name = name
            self.value = value
        }
    }

    /// The durations of one kind of operation, in nanoseconds.
    package struct Latency: Equatable, Sendable {
        package var name: WireString
        package var count: Int
        package var median: Int
        package var percentile99: Int
        package var largest: Int
        /// The sum of all durations. Nil from a server that does not send it.
        package var sum: Int?
        /// Empty from a server that does not send them.
        package var buckets: [Bucket]

        package init(
            name: WireString, count: Int, median: Int, percentile99: Int, largest: Int, sum: Int? = nil,
            buckets: [Bucket] = []
        ) {
            self.name = name
            self.count = count
            self.median = median
            self.percentile99 = percentile99
            self.largest = largest
            self.sum = sum
            self.buckets = buckets
        }
    }

    /// How many durations are shorter than a bound, including those below all smaller bounds.
    package struct Bucket: Equatable, Sendable {
        /// In nanoseconds.
        package var bound: Int
        package var count: Int

        package init(bound: Int, count: Int) {
            self.bound = bound
            self.count = count
        }
    }

    /// When counting began, in milliseconds.
    package var since: Int
    package var counters: [Counter]
    package var latencies: [Latency]

    package init(since: Int, counters: [Counter], latencies: [Latency]) {
        self.since = since
        self.counters = counters
        self.latencies = latencies
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        since = try fields.integer("since")
        counters = try fields.array("counters") { value throws(FieldFault) in
            let fields = try Fields(value, limits: limits)
            return Counter(name: try fields.string("name"), value: try fields.integer("value"))
        }
        latencies = try fields.array("latencies") { value throws(FieldFault) in
            let fields = try Fields(value, limits: limits)
            return Latency(
                name: try fields.string("name"), count: try fields.integer("count"),
                median: try fields.integer("p50"), percentile99: try fields.integer("p99"),
                largest: try fields.integer("max"), sum: try fields.integer(optional: "sum"),
                buckets: try fields.array(optional: "buckets") { value throws(FieldFault) in
                    let fields = try Fields(value, limits: limits)
                    return Bucket(bound: try fields.integer("below"), count: try fields.integer("count"))
                } ?? [])
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("since", since)
        writer.member("counters", counters) { writer, counter in
            writer.beginObject()
            writer.member("name", counter.name)
            writer.member("value", counter.value)
            writer.endObject()
        }
        writer.member("latencies", latencies) { writer, latency in
            writer.beginObject()
            writer.member("name", latency.name)
            writer.member("count", latency.count)
            writer.member("p50", latency.median)
            writer.member("p99", latency.percentile99)
            writer.member("max", latency.largest)
            writer.member("sum", latency.sum)
            if !latency.buckets.isEmpty {
                writer.member("buckets", latency.buckets) { writer, bucket in
                    writer.beginObject()
                    writer.member("below", bucket.bound)
                    writer.member("count", bucket.count)
                    writer.endObject()
                }
            }
            writer.endObject()
        }
    }
}
