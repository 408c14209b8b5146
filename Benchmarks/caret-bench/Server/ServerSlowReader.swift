/// What a subscriber that stops reading costs the others and the server, and how long it takes to catch up.
struct ServerSlowReader {
    let servers: BenchServers
    let seconds: Double

    static let name = "slow reader"
    private static let rounds = 3
    /// The texts are longer than people type, so that the system's buffer of the paused subscriber is soon
    /// full.
    private static let crowd = Crowd(
        subscribers: 1_000, pace: .every(50e6), letters: 4_000, lastHasSmallReceiveBuffer: true)

    /// The sum of several slices: either those in which all subscribers read, or those in which one does not.
    private struct Outcome {
        var delivered = Latencies()
        var pushes = 0

        mutating func add(_ slice: CrowdLoad.Slice) {
            delivered += slice.delivered
            pushes += slice.pushes
        }
    }

    func run() {
        let side = servers.caretd(with: ServerSlowReader.crowd)
        defer { side.end() }
        var (all, others) = (Outcome(), Outcome())
        var (growth, back): (Double, [Double]) = (0, [])
        for _ in 0..<ServerSlowReader.rounds {
            all.add(side.run(for: seconds / 2 * 1e9).slice)
            let before = side.server.resident
            side.pauseLastClient()
            others.add(side.run(for: seconds / 2 * 1e9).slice)
            growth = max(growth, side.server.resident - before)
            let start = wallNanoseconds()
            side.resumeLastClient()
            back.append(wallNanoseconds() - start)
        }
        var table = Table(["1 writer, 1000 subscribers", "pushes", "delivery p50", "p99"])
        for (name, outcome) in [("all read", all), ("one does not read", others)] {
            table.row(
                name, String(outcome.pushes), outcome.delivered.percentile(50).time,
                outcome.delivered.percentile(99).time)
        }
        table.print(
            under: """
                20 pushes of 4 KB a second: \((seconds / 2).digits(1)) s while all subscribers read, and as long while one does not, \(ServerSlowReader.rounds) times.
                That subscriber had every revision in order \(back.median.time) after it began to read again. It received \(side.resyncs) resyncs.
                """)
        Goal.print([
            Goal(
                "p99 of the others, ratio", .atMost(1.25),
                others.delivered.percentile(99) / all.delivered.percentile(99)
            ) { $0.digits(2) },
            Goal("growth of the server's memory", .atMost(8 * 1_048_576), growth) { $0.megabytes },
        ])
    }
}
