import CaretLog
import CaretStore
import FoundationEssentials
import Glibc
import TestSupport

/// `caret-bench command`: subcommands of `caret` on a long history, as a person runs them.
struct CommandBenchmarks {
    static let measure =
        "caret as a process of its own, beside a caretd that has the document; output to nowhere; medians and the worst."

    private var runs = 11
    private var folder = FileManager.default.temporaryDirectory.path

    /// Nil where the arguments are not those of the command.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": runs = 3
            case "--folder":
                guard let path = rest.popFirst() else { return nil }
                folder = path
            default: return nil
            }
        }
    }

    /// One subcommand, run so often.
    private struct Measured {
        let words: [String]
        var runs: [CommandRun] = []
        /// What the server took of processors for each run, in nanoseconds.
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
        let program = BenchServers.found
        let base = BenchFolder(path: folder + "/caret-bench-\(getpid())")
        defer { base.remove() }
        let data = base.made("data")
        let revisions = await write(to: data)
        let server = ServerProcess(caretd: program, data: data)
        defer { server.end() }
        let (half, whole) = ("notes/paper@\(revisions / 2)", "notes/paper@\(revisions)")
        var all = [
            ["ping"], ["cat", half], ["cat", whole], ["diff", half, whole], ["blame", "notes/paper"],
            ["log", "--all", "notes/paper"], ["log", "notes/paper"],
        ].map { Measured(words: $0) }
        let caret = URL(filePath: program).deletingLastPathComponent().path + "/caret"
        // In turns, so that a noisy moment meets them all.
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
        var table = Table(["", "wall", "worst", "its CPU", "user", "system", "the server's CPU"])
        for measured in all { table.row(measured.cells) }
        table.print(
            under: "automerge-paper, one key a revision: \(revisions) revisions; \(runs) runs of each")
        // Of processors, since the walls of four runs would add their noise. The two that read connect twice.
        let cpu = all.map { $0.runs.map(\.cpu).median }
        let beyond = max(0, cpu[3] - (cpu[1] + cpu[2] - cpu[0]))
        Goal.print([
            Goal("caret blame", .atMost(2e9), all[4].wall) { $0.time },
            Goal("caret log --all", .atMost(2e9), all[5].wall) { $0.time },
            Goal("caret diff, its CPU beyond reading: diff - cat - cat + ping", .atMost(100e6), beyond) {
                $0.time
            },
        ])
    }

    /// Writes the document as upkeep leaves it, and answers with its revisions.
    private func write(to data: String) async -> Int {
        let changes = sure { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        let store = SQLiteStore.opened(data)
        let document = await store.made("notes/paper")
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: 16) else {
            preconditionFailure("a benchmark's history was refused")
        }
        await store.tend(at: .max)
        await store.closed()
        return changes.count
    }
}
