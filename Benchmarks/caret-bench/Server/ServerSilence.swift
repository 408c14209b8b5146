/// The cost of a subscriber that stops reading, for the others and for the server, and the time it needs to
/// catch up.
struct ServerSilence {
    let servers: BenchServers
    let seconds: Double

    static let name = "slow reader"
    private static let rounds = 3
    /// Longer texts than people type, so that the system's buffer of the silent subscriber is soon full.
    private static let crowd = Crowd(
        subscribers: 1_000, pace: .every(50e6), letters: 4_000, lastReadsLittle: true)

    /// The sum of all slices of one kind.
    private struct Outcome {
        var delivered = Latencies()
        var pushes = 0

        mutating func add(_ slice: CrowdLoad.Slice) {
            delivered += slice.delivered
            pushes += slice.pushes
        }
    }

    func run() {
        let side = servers.caretd(with: ServerSilence.crowd)
        defer { side.end() }
        var (all, others) = (Outcome(), Outcome())
        var (growth, back): (Double, [Double]) = (0, [])
        for _ in 0..<ServerSilence.rounds {
            all.add(side.run(for: seconds / 2 * 1e9).slice)
            let before = side.server.resident
            side.silenceOne()
            others.add(side.run(for: seconds / 2 * 1e9).slice)
            growth = max(growth, side.server.resident - before)
            let start = wallNanoseconds()
            side.unsilenceOne()
            back.append(wallNanoseconds() - start)
        }
        var table = Table(["1 writer, 1000 subscribers", "pushes", "delivery p50", "p99"])
        for (name, outcome) in [("all read", all), ("one does not", others)] {
            table.row(
                name, String(outcome.pushes), outcome.delivered.percentile(50).time,
                outcome.delivered.percentile(99).time)
        }
        table.print(
            under: """
                20 pushes of 4 KB a second, \((seconds / 2).digits(1)) s with everybody reading and as long with one who does not, \(ServerSilence.rounds) times.
                When he read again he had every revision in order after \(back.median.time), and was told to begin anew \(side.resyncs) times.
                """)
        Goal.print([
            Goal(
                "p99 of the others, ratio", .atMost(1.25),
                others.delivered.percentile(99) / all.delivered.percentile(99)
            ) { $0.digits(2) },
            Goal("what the server's memory grew by", .atMost(8 * 1_048_576), growth) { $0.megabytes },
        ])
    }
}
