/// How long editors wait for their acks while 1,000 connections send one byte a second.
struct WebSlowHeads {
    let servers: WebServers
    let seconds: Double

    static let name = "slow heads"
    private static let count = 1_000
    private static let rounds = 2
    private static let editors = Crowd(writers: 4, pace: .every(5e6))
    /// Each kind, with the beginning of a message that its clients send but never complete.
    private static let kinds = [
        ("nobody", ""),
        ("lines", #"{"type":"hello","client":"slow"#),
        ("HTTP heads", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nSlow: slow"),
    ]

    func run() {
        let side = servers.measured(WebSlowHeads.editors, as: "caretd")
        defer { side.end() }
        // The server disconnects slow clients after ten seconds. The turns are longer, so that this is part
        // of the measurement.
        let length = 1.5 * seconds
        var acks = [Latencies](repeating: Latencies(), count: WebSlowHeads.kinds.count)
        var disconnected = [Int](repeating: 0, count: acks.count)
        for _ in 0..<WebSlowHeads.rounds {
            for (index, (_, beginning)) in WebSlowHeads.kinds.enumerated() {
                let senders =
                    beginning.isEmpty
                    ? nil : SlowSenders(WebSlowHeads.count, of: beginning, to: side.server.port)
                acks[index] += side.run(for: length * 1e9).slice.acks
                senders?.end()
                disconnected[index] += senders?.disconnected ?? 0
            }
        }
        var table = Table(["", "disconnected", "acks", "p50", "p99", "longest"])
        for (index, (name, _)) in WebSlowHeads.kinds.enumerated() {
            table.row(
                name, String(disconnected[index]), String(acks[index].count),
                acks[index].percentile(50).time, acks[index].percentile(99).time,
                acks[index].percentile(100).time)
        }
        table.print(
            under: """
                Acks of \(WebSlowHeads.editors.writers) editors that push every 5 ms, while \(WebSlowHeads.count) other connections each send one byte per second of a line
                or an HTTP head that never ends. Each of them connects again when the server disconnects it. The kinds run in turns, \(length.digits(0)) s each, \(WebSlowHeads.rounds) times.
                """)
        let ratio = acks[acks.count - 1].percentile(99) / acks[0].percentile(99)
        Goal.print([Goal("1,000 slow heads: p99 of others, ratio", .atMost(2), ratio) { $0.digits(2) }])
    }
}
