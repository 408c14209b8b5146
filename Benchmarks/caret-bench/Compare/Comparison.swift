/// `caret-bench compare`: the same crowds at `caretd` and at other servers.
struct Comparison {
    static let measure = """
        caretd beside servers that people would use instead, where they are installed; all as processes, over sockets of
        this machine. caretd syncs each push to disk before its ack. The others keep documents in memory alone, as their
        guides start them, and have no acks: a writer's own update that comes back stands for one.
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
        let rivals = [Rival.yWebsocket(), .pycrdtWebsocket(python: python)]
        for rival in rivals {
            print(
                rival.version.map { "\(rival.name) \($0)" }
                    ?? "\(rival.name) is not installed, and left out: \(rival.advice)")
        }
        print("")
        let installed = rivals.filter { $0.version != nil }
        if installed.isEmpty { return print("There is nothing to compare caretd with.") }
        let base = BenchFolder(in: folder)
        defer { base.remove() }
        let servers = BenchServers(program: program, base: base, isAlone: false)
        measure(installed, servers)
    }

    private func measure(_ rivals: [Rival], _ servers: BenchServers) {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "delivery p50", "p99", "CPU s/100,000", "resident",
            "load s/100,000",
        ])
        var plots = CrowdPlots(["caretd"] + rivals.map(\.name))
        for each in ServerCrowds.cases where Comparison.names.contains(each.name) {
            var sides = [servers.caretd(with: each.crowd)]
            for rival in rivals {
                let server = rival.started(log: servers.folder(rival.name) + "/log")
                sides.append(ServerSide(rival.name, server, .yjs, each.crowd))
            }
            turns.run(sides)
            for side in sides { table.row(cells(side, each.name)) }
            plots.add(each.name, sides)
        }
        plots.draw(as: "compare")
        table.print(
            under: """
                A crowd of which everybody has the one document of 10 KB open, or each one his own; every writer has one push of
                one letter in flight. Servers in turns, \((turns.length / 1e9).digits(2)) s each, \(turns.count) times; a turn ends when everybody has everything.
                Rates are medians, latencies and CPU those of all turns. CPU is that of the server's process; beside it
                that of the load, which shares the machine. 1 in flight: pushed again when everybody has it.
                """)
    }

    private func cells(_ side: ServerSide, _ name: String) -> [String] {
        [name, side.name, side.perSecond.digits(0)] + side.latencyCells + [
            side.cpuOf100000.digits(2), side.resident.megabytes, side.loadOf100000.digits(2),
        ]
    }
}
