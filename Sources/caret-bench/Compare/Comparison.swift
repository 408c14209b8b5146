import FoundationEssentials
import Glibc

/// `caret-bench compare`: the same crowds at `caretd` and at what people would use instead.
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

    /// How long each server is measured in each case, in seconds.
    private var seconds = 5.0
    private var folder = FileManager.default.temporaryDirectory.path
    private var python = "python3"

    /// Nil where the arguments are not those of the command.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch (argument, argument == "--quick" ? nil : rest.popFirst()) {
            case ("--quick", _): seconds = 1
            case ("--seconds", let word?):
                guard let number = Double(word), number > 0 else { return nil }
                seconds = number
            case ("--folder", let path?): folder = path
            case ("--python", let path?): python = path
            default: return nil
            }
        }
    }

    func run() {
        let program = BenchServers.found
        ServerBenchmarks.raiseDescriptors()
        let rivals = [Rival.yWebsocket(), .pycrdtWebsocket(python: python)]
        for rival in rivals {
            print(
                rival.version.map { "\(rival.name) \($0)" }
                    ?? "\(rival.name) is not installed, and left out: \(rival.advice)")
        }
        print("")
        let base = BenchFolder(path: folder + "/caret-bench-\(getpid())")
        defer { base.remove() }
        let servers = BenchServers(program: program, base: base, isAlone: false)
        measure(rivals.filter { $0.version != nil }, servers)
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
            for _ in 0..<slices { for side in sides { side.run(for: seconds * 1e9 / Double(slices)) } }
            for side in sides {
                side.end()
                table.row(cells(side, each.name))
            }
            plots.add(each.name, sides)
        }
        plots.draw(as: "compare")
        table.print(
            under: """
                A crowd of which everybody has the one document of 10 KB open, or each one his own; every writer has one push of
                one letter in flight. Servers in turns, \((seconds / Double(slices)).digits(2)) s each, \(slices) times; a turn ends when everybody has everything.
                Rates are medians, latencies and CPU those of all turns. CPU is that of the server's process; beside it
                that of the load, which shares the machine. 1 in flight: pushed again when everybody has it.
                """)
    }

    /// Short ones, so that what else the machine does meets all.
    private var slices: Int { max(1, Int((seconds / 0.5).rounded())) }

    private func cells(_ side: ServerSide, _ name: String) -> [String] {
        let (acks, delivered) = (side.acks, side.delivered)
        let hears = delivered.count > 0
        return [
            name, side.name, side.perSecond.digits(0), acks.percentile(50).time, acks.percentile(99).time,
            hears ? delivered.percentile(50).time : "", hears ? delivered.percentile(99).time : "",
            side.cpuOf100000.digits(2), side.resident.megabytes, side.loadOf100000.digits(2),
        ]
    }
}
