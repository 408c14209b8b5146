import FoundationEssentials

/// `caret-bench net`: the CPU time for each message, with the server's loops and with a bare server in C.
struct NetBenchmarks {
    static let measure =
        "CPU time of the server's process for each message. Servers run in turns; medians and ratios are of the rounds."

    private let options: Options
    private var rounds: Int { options.isQuick ? 5 : 15 }

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, takesWords: true) else { return nil }
        self.options = options
    }

    private struct Case: Sendable {
        let name: String
        let connections: Int
        let messages: Int
        let body: @Sendable (inout NetLoad) -> Void

        static func echo(_ connections: Int, _ messages: Int) -> Case {
            Case(name: "echo, \(connections) connections", connections: connections, messages: messages) {
                $0.echo(messages)
            }
        }

        static func fanOut(_ subscribers: Int, _ pushes: Int, together: Int) -> Case {
            let name = "fan-out to \(subscribers), \(together) at once"
            return Case(name: name, connections: subscribers + 1, messages: pushes * subscribers) {
                $0.fanOut(pushes, together: together)
            }
        }
    }

    private static let cases: [Case] = [
        .echo(1, 10_000), .echo(32, 30_000), .echo(1_000, 30_000),
        .fanOut(10, 2_000, together: 1), .fanOut(100, 400, together: 1), .fanOut(1_000, 40, together: 1),
        .fanOut(100, 1_600, together: 16), .fanOut(1_000, 160, together: 16),
    ]

    func run() {
        let wanted = NetBenchmarks.cases.filter { options.wants($0.name) }
        if !wanted.isEmpty { compare(wanted) }
        if options.wants("bare") { runDurable() }
    }

    private func compare(_ cases: [Case]) {
        let others = NetServer.ofLines.filter { $0 != .bare }
        let headings = others.flatMap { [$0.rawValue, "ratio", "min", "max"] }
        var table = Table(["\(NetLoad.lineBytes)-byte lines", "bare"] + headings)
        for each in cases { table.row([each.name] + cells(measured(each), others)) }
        table.print(under: "For each echoed message, or each line delivered to a subscriber")
    }

    /// Durable pushes of the bare server: each is on disk before any client gets it.
    private func runDurable() {
        let base = BenchFolder(in: FileManager.default.temporaryDirectory.path)
        defer { base.remove() }
        var table = Table(["durable pushes", "a second", "CPU of a push"])
        for (writers, documents) in [(1, 1), (2, 1), (8, 1), (32, 1), (1_000, 1_000)] {
            let server = ServerProcess(.bare, database: base.makeFolder("bare-\(writers)") + "/bare.sqlite")
            var load = NetLoad(writers, port: server.port)
            load.join(documents: documents)
            load.push(10 * writers)
            let pushes = rounds * 200 * min(writers, 20)
            let (start, before) = (wallNanoseconds(), server.nanoseconds)
            load.push(pushes)
            let (wall, cost) = (wallNanoseconds() - start, server.nanoseconds - before)
            table.row(
                "\(writers) writers, \(documents) documents", (Double(pushes) / wall * 1e9).digits(0),
                (cost / Double(pushes)).time)
            server.end()
        }
        table.print(
            under:
                "The bare server: it syncs all waiting pushes in one transaction, and each writer has one push in flight"
        )
    }

    /// The CPU time of a message on each server, by round.
    private func measured(_ each: Case) -> [NetServer: [Double]] {
        var costs: [NetServer: [Double]] = [:]
        let servers = NetServer.ofLines.map { ($0, ServerProcess($0)) }
        for round in 0...rounds {
            for (kind, server) in servers {
                var load = NetLoad(each.connections, port: server.port)
                load.join(documents: 1)
                let before = server.nanoseconds
                each.body(&load)
                // The first round warms up.
                if round > 0 {
                    costs[kind, default: []].append((server.nanoseconds - before) / Double(each.messages))
                }
            }
        }
        for (_, server) in servers { server.end() }
        return costs
    }

    private func cells(_ costs: [NetServer: [Double]], _ others: [NetServer]) -> [String] {
        let bare = costs[.bare] ?? []
        return [bare.median.time]
            + others.flatMap { kind in
                let own = costs[kind] ?? []
                let ratios = zip(own, bare).map { $0 / $1 }
                return [
                    own.median.time, ratios.median.digits(2), (ratios.min() ?? 0).digits(2),
                    (ratios.max() ?? 0).digits(2),
                ]
            }
    }
}
