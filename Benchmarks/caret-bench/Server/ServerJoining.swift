import TestSupport

/// The time to open a document with a long history: while other clients have it open, and as the first client
/// of a server that has just started.
struct ServerJoining {
    let servers: BenchServers
    let seconds: Double

    static let name = "join"

    func run() async {
        if let reason = TraceFolder.reasonForAbsence { return print("SKIPPED joining: \(reason)\n") }
        let data = servers.folder("join")
        let revisions = await LongestHistory.write(to: data)
        let warm = joinedWarm(data, revisions)
        let cold = (0..<max(3, Int(2 * seconds))).map { _ in joinedCold(data, revisions) }
        var table = Table(["\(revisions) revisions", "joins", "p50", "p99", "longest"])
        for (name, times) in [("others have it open", warm), ("after a restart", cold)] {
            table.row(
                name, String(times.count), times.median.time, times.percentile(99).time,
                (times.max() ?? 0).time)
        }
        table.print(
            under: """
                Opening the document automerge-paper, with one keystroke in each revision: from the first byte of `open` to the last byte of
                `opened`. Each open uses a new connection that has said hello. After a restart: `open` is the first request to a
                process that has just reported that it is ready.
                """)
        Goal.print([
            Goal("joining, others have it open", .atMost(3e6), warm.median) { $0.time },
            Goal("joining, after a restart", .atMost(10e6), cold.median) { $0.time },
        ])
    }

    private func joinedWarm(_ data: String, _ revisions: Int) -> [Double] {
        let server = servers.caretd(data: data)
        defer { server.end() }
        let holder = PlainClient("bench-holder", port: server.port)
        _ = holder.open(LongestHistory.name)
        let times = (0..<Int(20 * seconds)).map { join(server, $0, revisions) }
        return withExtendedLifetime(holder) { times }
    }

    private func joinedCold(_ data: String, _ revisions: Int) -> Double {
        let server = servers.caretd(data: data)
        defer { server.end() }
        return join(server, 0, revisions)
    }

    private func join(_ server: ServerProcess, _ number: Int, _ revisions: Int) -> Double {
        let opened = PlainClient("bench-joiner-\(number)", port: server.port).open(LongestHistory.name)
        precondition(opened.revision == revisions, "the document is at revision \(opened.revision)")
        return opened.time
    }
}
