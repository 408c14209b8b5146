/// `caret-bench compare`: the same load on `caretd` and on other servers.
struct Comparison {
    static let measure = """
        caretd compared with the lean server in C, with an earlier build of itself, and with other servers for shared texts
        that are installed. All are processes on this machine. caretd and the lean server sync each push to disk before its
        ack. The others keep documents only in memory, because their guides start them like this. They send no acks: a
        writer's own update that comes back counts as the ack.
        """

    private static let names = [
        "1 writer", "fan-out to 100, 1 in flight", "fan-out to 100, 32 writers", "2 writers", "32 writers",
        "1000 documents",
        "50 a second to 100",
    ]

    private let turns: CrowdTurns
    private let folder: String
    private let python: String
    private let earlier: String?

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--seconds", "--folder", "--python", "--against"]),
            let seconds = options.number("--seconds", otherwise: options.isQuick ? 1 : 5)
        else { return nil }
        (turns, folder) = (CrowdTurns(of: seconds * 1e9), options.folder)
        python = options["--python"] ?? "python3"
        earlier = options["--against"]
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
        let base = BenchFolder(in: folder)
        defer { base.remove() }
        let servers = BenchServers(program: program, against: earlier, base: base, isAlone: false)
        measure(competitors.filter { $0.version != nil }, servers)
    }

    private func measure(_ competitors: [Competitor], _ servers: BenchServers) {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "delivery p50", "p99", "CPU s/100,000", "a delivery",
            "resident", "load s/100,000",
        ])
        var plots = CrowdPlots(servers.names([.lean]) + competitors.map(\.name))
        for each in ServerCrowds.cases where Comparison.names.contains(each.name) {
            var sides = servers.started(each.crowd, [.lean])
            for competitor in competitors {
                let server = competitor.started(log: servers.folder(competitor.name) + "/log")
                sides.append(MeasuredServer(competitor.name, server, .yjs, each.crowd))
            }
            turns.run(sides)
            for side in sides { table.row(cells(side, each.name)) }
            for side in sides.dropFirst() { table.row([""] + sides[0].ratioCells(to: side) + ["", ""]) }
            plots.add(each.name, sides)
        }
        plots.draw(as: "compare")
        table.print(
            under: """
                All clients have the same document of 10 KB open; in the case "1000 documents" each client has its own. Every writer
                has one push of one letter in flight. The servers run in turns, \((turns.length / 1e9).digits(2)) s each, \(turns.count) times. A turn ends when every
                client has every revision. Rates are medians of the turns; latencies and CPU are of all turns together. Ratios of
                rates and CPU are medians of the ratios in each turn. CPU is that of the server's process. Load is the CPU time of the clients, which share the machine. 1 in flight:
                the writer pushes again when every client has the last push.
                """)
    }

    private func cells(_ side: MeasuredServer, _ name: String) -> [String] {
        [name, side.name, side.perSecond.digits(0)] + side.latencyCells + [
            side.cpuPer100000Pushes.digits(2), side.delivered.count > 0 ? side.totalCPUPerDelivery.time : "",
            side.resident.megabytes, side.loadCPUPer100000Pushes.digits(2),
        ]
    }
}
