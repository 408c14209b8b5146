import CaretWire

/// `GET /metrics`: all counters and latencies, in the text format of Prometheus.
struct Measuring: Exchange {
    mutating func begin() -> ExchangeStep { .send(.admin(.counters(ReadCounters()))) }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard case .admin(.counted(let values)) = answer.message else { return .wait }
        let text = Array(Measuring.text(of: values).utf8)
        return .respond(
            Response(.ok, "text/plain; version=0.0.4; charset=utf-8", text).adding(
                "Cache-Control", "no-store"))
    }

    private static func text(of values: CounterValues) -> String {
        let start = Double(values.since) / 1_000
        var text = head(of: "caret_start_time_seconds", "gauge", for: "start_time")
        text += "caret_start_time_seconds \(start)\n"
        for counter in values.counters where !counter.name.string.hasPrefix(refused) {
            let isGauge = CounterValues.levels.contains(counter.name)
            let name = "caret_\(counter.name)\(isGauge ? "" : "_total")"
            text += head(of: name, isGauge ? "gauge" : "counter", for: counter.name.string)
            text += "\(name) \(counter.value)\n"
        }
        text += head(of: "caret_refusals_total", "counter", for: "refused")
        for counter in values.counters where counter.name.string.hasPrefix(refused) {
            let code = counter.name.string.dropFirst(refused.count)
            text += "caret_refusals_total{code=\"\(code)\"} \(counter.value)\n"
        }
        for latency in values.latencies { text += histogram(of: latency) }
        return text
    }

    private static let refused = "refused_"

    private static func histogram(of latency: CounterValues.Latency) -> String {
        let name = "caret_\(latency.name)_seconds"
        var text = head(of: name, "histogram", for: latency.name.string)
        for bucket in latency.buckets {
            text += "\(name)_bucket{le=\"\(seconds(bucket.bound))\"} \(bucket.count)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(latency.count)\n"
        return text + "\(name)_sum \(seconds(latency.sum ?? 0))\n\(name)_count \(latency.count)\n"
    }

    private static func head(of metric: String, _ type: String, for name: String) -> String {
        MetricHelp.line(for: metric, of: name) + "# TYPE \(metric) \(type)\n"
    }

    private static func seconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1_000_000_000 }
}
