import CaretClient
import FoundationEssentials

/// The counters on a terminal: the uptime of the server, its latencies and its counters.
package struct TopPage: Sendable {
    let address: String
    let reading: TopReading
    var isConnected = true
    let style: Style

    package init(address: String, reading: TopReading, isConnected: Bool = true, style: Style) {
        self.address = address
        self.reading = reading
        self.isConnected = isConnected
        self.style = style
    }

    /// As many rows as fit; the last rows are dropped first.
    package func rows(_ size: Terminal.Size) -> [String] {
        let screen = Screen(columns: size.columns)
        let all =
            [headline.shortened(to: size.columns), ""] + lines(of: latencies, on: screen) + [""]
            + lines(of: counters, on: screen)
        return Array(all.prefix(size.rows))
    }

    /// Shortens each row, because a wrapped row would push the last rows off the screen.
    private func lines(of table: Table, on screen: Screen) -> [String] {
        let rows = table.text(on: screen, .plain).split(separator: "\n")
            .map { String($0).shortened(to: screen.columns) }
        return rows.prefix(1).map { style.painted($0, .heading) } + rows.dropFirst()
    }

    private var headline: String {
        let up = Int(reading.time.timeIntervalSince(reading.counters.since))
        let state = isConnected ? "" : "   (not connected)"
        return "up \(max(0, up).span)   \(Stamp.local(reading.time))\(state)   q ends   \(address)"
    }

    private var latencies: Table {
        var table = Table([
            .init("LATENCY, ms"), .init("COUNT", isNumber: true), .init("MEDIAN", isNumber: true),
            .init("P99", isNumber: true), .init("MAX", isNumber: true),
        ])
        for latency in reading.counters.latencies {
            table.add([
                latency.name, "\(latency.count)", latency.median.milliseconds,
                latency.percentile99.milliseconds, latency.largest.milliseconds,
            ])
        }
        return table
    }

    /// Omits counters of refusals that are 0, because each error code has its own counter.
    private var counters: Table {
        var table = Table([
            .init("COUNTER"), .init("TOTAL", isNumber: true), .init("PER SECOND", isNumber: true),
        ])
        for counter in reading.counters.counters
        where counter.value > 0 || !counter.name.utf8.starts(with: "refused_".utf8) {
            table.add([counter.name, "\(counter.value)", reading.rate(counter)?.tenths ?? ""])
        }
        return table
    }
}

extension Int {
    /// A duration in seconds, as `3 d 4 h` or `5 min 2 s`.
    fileprivate var span: String {
        let parts = [
            (self / 86_400, "d"), (self / 3_600 % 24, "h"), (self / 60 % 60, "min"), (self % 60, "s"),
        ]
        let first = parts.firstIndex { $0.0 > 0 } ?? 3
        return parts[first...].prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
