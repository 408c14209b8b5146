import TestSupport

/// `caret-bench command`: subcommands of `caret` on a long history, run as a user runs them.
struct CommandBenchmarks {
    static let measure =
        "Each run is a process of caret that connects to caretd and discards the output. Medians, and the worst run."

    private let runs: Int
    private let folder: String

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--folder"]) else { return nil }
        (runs, folder) = (options.isQuick ? 3 : 11, options.folder)
    }

    /// One subcommand with its runs.
    private struct Measured {
        let words: [String]
        var runs: [CommandRun] = []
        /// The server's CPU time for each run, in nanoseconds.
        var server: [Double] = []

        var wall: Double { runs.map(\.wall).median }

        var cells: [String] {
            [
                "caret " + words.joined(separator: " "), wall.time, (runs.map(\.wall).max() ?? 0).time,
                runs.map(\.cpu).median.time, runs.map(\.user).median.time, runs.map(\.system).median.time,
                server.median.time,
            ]
        }
    }

    func run() async {
        if let reason = TraceFolder.reasonForAbsence { return print("SKIPPED: \(reason)") }
        let (caretd, caret) = (BenchServers.program(named: "caretd"), BenchServers.program(named: "caret"))
        let base = BenchFolder(in: folder)
        defer { base.remove() }
        let data = base.makeFolder("data")
        let revisions = await LongestHistory.write(to: data)
        let server = ServerProcess(caretd: caretd, data: data)
        defer { server.end() }
        let (half, whole) = ("\(LongestHistory.name)@\(revisions / 2)", "\(LongestHistory.name)@\(revisions)")
        var all = [
            ["ping"], ["cat", half], ["cat", whole], ["diff", half, whole], ["blame", LongestHistory.name],
            ["log", "--all", LongestHistory.name], ["log", LongestHistory.name],
        ].map { Measured(words: $0) }
        // Runs the subcommands in turns, so that other load of the machine affects all of them.
        for _ in 0..<runs {
            for index in all.indices {
                let before = server.nanoseconds
                all[index].runs.append(CommandRun(caret, all[index].words + ["--data", data]))
                all[index].server.append(server.nanoseconds - before)
            }
        }
        show(all, revisions)
    }

    private func show(_ all: [Measured], _ revisions: Int) {
        var table = Table(["", "wall", "worst", "CPU", "user", "system", "the server's CPU"])
        for measured in all { table.row(measured.cells) }
        table.print(
            under: "automerge-paper, one keystroke a revision: \(revisions) revisions; \(runs) runs of each")
        // The CPU time of `diff` without reading. Wall times are not used, because the noise of four of them
        // would add up. Two `cat` connect twice and `diff` connects once, so the time of one `ping` is added.
        let cpu = all.map { $0.runs.map(\.cpu).median }
        let beyond = max(0, cpu[3] - (cpu[1] + cpu[2] - cpu[0]))
        Goal.print([
            Goal("caret blame", .atMost(2e9), all[4].wall) { $0.time },
            Goal("caret log --all", .atMost(2e9), all[5].wall) { $0.time },
            Goal("caret diff, CPU without reading: diff - cat - cat + ping", .atMost(100e6), beyond) {
                $0.time
            },
        ])
    }
}
