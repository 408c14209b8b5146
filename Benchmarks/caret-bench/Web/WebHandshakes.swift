import Glibc

/// 1,000 clients that connect at once: how long the server needs, and how long editors wait meanwhile.
struct WebHandshakes {
    let servers: WebServers
    let seconds: Double

    static let name = "handshakes"
    private static let count = 1_000
    private static let editors = Crowd(writers: 4, pace: .every(5e6))

    /// What happened in the rounds of one kind.
    private struct Outcome {
        var acks = Latencies()
        var connected = Latencies()
        /// For each round, the time until the last client was connected.
        var last: [Double] = []
        /// For each round, the CPU time of the server.
        var cpu: [Double] = []
    }

    func run() {
        let side = servers.measured(WebHandshakes.editors, as: "caretd")
        defer { side.end() }
        var (quiet, lines, secure) = (Outcome(), Outcome(), Outcome())
        for _ in 0..<max(2, Int(seconds / 2)) {
            // The server is still busy with the end of the previous burst.
            usleep(300_000)
            let sample = side.run(for: 1e9)
            quiet.acks += sample.slice.acks
            let idle = sample.serverCPU / sample.slice.wall
            burst(over: .lines, beside: side, idle, &lines)
            burst(over: servers.tls, beside: side, idle, &secure)
        }
        var table = Table([
            "", "connected p50", "the last one", "CPU of the server", "ack p50", "p99", "longest",
        ])
        for (name, outcome) in [("nobody connects", quiet), ("lines", lines), ("TLS", secure)] {
            table.row(cells(name, outcome))
        }
        table.print(
            under: """
                \(WebHandshakes.count) clients send their first message at once and wait for the welcome. Their TCP connections are already open, and
                with TLS the first message of each handshake is already computed. Meanwhile \(WebHandshakes.editors.writers) editors push every 5 ms, and their acks are measured. \(lines.last.count) rounds;
                the last one and CPU are medians of the rounds. CPU does not include the cost of the editors. The clients share the
                machine: they verify \(WebHandshakes.count) signatures in this time.
                """)
        Goal.print([
            Goal("1,000 TLS handshakes, CPU of the server", .atMost(1.3e9), secure.cpu.median) { $0.time },
            Goal("1,000 TLS handshakes, the last one", .atMost(1.3e9), secure.last.median) { $0.time },
            Goal("acks of others meanwhile, p99", .atMost(20e6), secure.acks.percentile(99)) { $0.time },
        ])
    }

    /// `idle` is the server's CPU time for each nanosecond in which nobody connects.
    private func burst(
        over transport: Transport, beside side: MeasuredServer, _ idle: Double, _ outcome: inout Outcome
    ) {
        usleep(300_000)
        let burst = ConnectingBurst(of: WebHandshakes.count, to: side.server.port, over: transport)
        burst.begin()
        let sample = side.run { burst.isDone }
        outcome.acks += sample.slice.acks
        outcome.connected += burst.latencies
        outcome.last.append(burst.latencies.percentile(100))
        outcome.cpu.append(sample.serverCPU - idle * sample.slice.wall)
    }

    private func cells(_ name: String, _ outcome: Outcome) -> [String] {
        let hasConnected = outcome.connected.count > 0
        return [
            name, hasConnected ? outcome.connected.percentile(50).time : "",
            hasConnected ? outcome.last.median.time : "", hasConnected ? outcome.cpu.median.time : "",
            outcome.acks.percentile(50).time, outcome.acks.percentile(99).time,
            outcome.acks.percentile(100).time,
        ]
    }
}
