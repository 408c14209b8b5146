import TestSupport

/// The CPU time of the server for a push of a whole text, which it compares with the text at the base.
struct ServerWholeTexts {
    let servers: BenchServers
    let seconds: Double

    static let name = "whole text"
    private static let length = 100_000

    /// A case: what changes from one push to the next.
    private struct Case: Sendable {
        let name: String
        /// How many pushes are measured in a second of the benchmark.
        let perSecond: Int
        let milliseconds: Double
        let change: @Sendable (inout [String], inout Seeded) -> Void
    }

    private static let cases = [
        Case(name: "one letter changed", perSecond: 50, milliseconds: 0.5) { lines, random in
            let line = random.number(0...lines.count - 1)
            lines[line] = String(lines[line].dropLast()) + String(random.number(0...9))
        },
        Case(name: "half of the lines new", perSecond: 4, milliseconds: 8) { lines, random in
            for line in lines.indices where random.chance(50) { lines[line] = newLine(&random) }
        },
    ]

    func run() {
        var table = Table(["100 KB", "pushes", "CPU of a push", "goal"])
        var goals: [Goal] = []
        for each in ServerWholeTexts.cases {
            let count = max(10, Int(seconds * Double(each.perSecond)))
            let time = time(of: each, count)
            table.row(each.name, String(count), time.time, (each.milliseconds * 1e6).time)
            goals.append(
                Goal("whole text, " + each.name, .atMost(each.milliseconds * 1e6), time) { $0.time })
        }
        table.print(
            under: """
                A client pushes the whole text of 100 KB again and again, and waits for each ack. The CPU is that of the server's process, and
                includes the commit and the upkeep of the history.
                """)
        Goal.print(goals)
    }

    private func time(of each: Case, _ count: Int) -> Double {
        let server = servers.caretd(data: servers.folder("whole-text"))
        defer { server.end() }
        var random = Seeded(11)
        var lines: [String] = []
        while lines.reduce(0, { $0 + $1.utf8.count + 1 }) < ServerWholeTexts.length {
            lines += (0..<20).map { _ in ServerWholeTexts.newLine(&random) }
        }
        let client = PlainClient("bench-writer", port: server.port)
        client.make("whole", lines.joined(separator: "\n"))
        let epoch = client.open("whole").epoch
        var revision = 1
        var start = 0.0
        // The first pushes are not measured, because caches grow during them.
        for number in -5..<count {
            if number == 0 { start = server.nanoseconds }
            each.change(&lines, &random)
            revision = client.push("whole", lines, epoch, base: revision)
        }
        return (server.nanoseconds - start) / Double(count)
    }

    private static func newLine(_ random: inout Seeded) -> String {
        (0..<6).map { _ in SampleText.word(&random) }.joined(separator: " ") + " 0"
    }
}
