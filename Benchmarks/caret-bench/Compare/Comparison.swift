/// `caret-bench compare`: the same load on `caretd` and on other servers.
struct Comparison {
    static let measure = """
        caretd compared with other servers for shared texts, if they are installed. All are processes on this machine.
        caretd syncs each push to disk before its ack. The others keep documents only in memory, because their guides
        start them like this. They send no acks: a writer's own update that comes back counts as the ack.
        """

    private static let names = [
        "fan-out to 100, 1 in flight", "fan-out to 100, 32 writers", "2 writers", "32 writers",
        "1000 documents",
        "50 a second to 100",
    ]

    private let turns: CrowdTurns
    private let folder: String
    private let python: String

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--seconds", "--folder", "--python"]),
            let seconds = options.number("--seconds", otherwise: options.isQuick ? 1 : 5)
        else { return nil }
        (turns, folder) = (CrowdTurns(of: seconds * 1e9), options.folder)
        python = options["--python"] ?? "python3"
    }

    func run() {
        let program = BenchServers.program(named: "caretd")
        ServerBenchmarks.raiseDescriptors()
        let competitors = [Competitor.yWebsocket(), .pycrdtWebsocket(python: python)]
        for competitor in competitors {
            print(
                competitor.version.map { "\(competitor.name) \($0)" }
                    ?? "\(competitor.name) is not installed, so it is left out. To install it: \(competitor.advice)"
            )
        }
        print("")
        let installed = competitors.filter { $0.version != nil }
        if installed.isEmpty { return print("No other server is installed, so there is no comparison.") }
        let base = BenchFolder(in: folder)
        defer { base.remove() }
        let servers = BenchServers(program: program, base: base, isAlone: false)
        measure(installed, servers)
    }

    private func measure(_ competitors: [Competitor], _ servers: BenchServers) {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "delivery p50", "p99", "CPU s/100,000", "resident",
            "load s/100,000",
        ])
        var plots = CrowdPlots(["caretd"] + competitors.map(\.name))
        for each in ServerCrowds.cases where Comparison.names.contains(each.name) {
            var sides = [servers.caretd(with: each.crowd)]
            for competitor in competitors {
                let server = competitor.started(log: servers.folder(competitor.name) + "/log")
                sides.append(MeasuredServer(competitor.name, server, .yjs, each.crowd))
            }
            turns.run(sides)
            for side in sides { table.row(cells(side, each.name)) }
            plots.add(each.name, sides)
        }
        plots.draw(as: "compare")
        table.print(
            under: """
                All clients have the same document of 10 KB open; in the case "1000 documents" each client has its own. Every writer
                has one push of one letter in flight. The servers run in turns, \((turns.length / 1e9).digits(2)) s each, \(turns.count) times. A turn ends when every
                client has every revision. Rates are medians of the turns; latencies and CPU are of all turns together. CPU is
                that of the server's process. Load is the CPU time of the clients, which share the machine. 1 in flight:
                the writer pushes again when every client has the last push.
                """)
    }

    private func cells(_ side: MeasuredServer, _ name: String) -> [String] {
        [name, side.name, side.perSecond.digits(0)] + side.latencyCells + [
            side.cpuPer100000Pushes.digits(2), side.resident.megabytes, side.loadCPUPer100000Pushes.digits(2),
        ]
    }
}
