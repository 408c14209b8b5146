import FoundationEssentials
import Glibc

/// `caret-bench nodes`: three servers over one PostgreSQL.
struct NodesBenchmarks {
    static let measure = """
        Three servers over one PostgreSQL, whose commits take 1 ms more than its disk needs. Beside it, one server over this
        PostgreSQL, and one over SQLite. Everything runs on this machine.
        """

    private struct Case: Sendable {
        let name: String
        let crowd: Crowd
        /// The lowest number of pushes in a second for three servers.
        var perSecond: Double?
        /// The longest median from a push to its delivery by another server, in nanoseconds.
        var elsewhere: Double?
        /// The most CPU time for each push, in nanoseconds: of PostgreSQL, and of the servers.
        var cpu: (database: Double, servers: Double)?
    }

    private static let cases = [
        Case(
            name: "9 people type in one document", crowd: Crowd(writers: 9, pace: .typing(125e6)),
            elsewhere: 3e6),
        Case(name: "32 writers in one document", crowd: Crowd(writers: 32), perSecond: 4_000),
        Case(
            name: "1,000 documents, one writer each", crowd: Crowd(documents: 1_000), perSecond: 12_000,
            cpu: (60e3, 30e3)),
    ]
    private static let unused = "a server where nobody has the documents open"
    /// The most CPU time of such a server for each push, in nanoseconds.
    private static let mostUnused = 5e3

    private let seconds: Double
    private let options: Options

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        let options = Options(arguments, valued: ["--seconds", "--folder"], takesWords: true)
        guard let options, let seconds = options.number("--seconds", otherwise: options.isQuick ? 2 : 10)
        else { return nil }
        (self.seconds, self.options) = (seconds, options)
    }

    func run() {
        guard let programs = BenchPostgres.programs else {
            return print("SKIPPED: PostgreSQL is not installed; scripts/install-packages test installs it.\n")
        }
        let program = BenchServers.program(named: "caretd")
        ServerBenchmarks.raiseDescriptors()
        let (base, memory) = (BenchFolder(in: options.folder), BenchFolder(in: NodesBenchmarks.memory))
        defer {
            base.remove()
            memory.remove()
        }
        print(
            """
            The database is in \(NodesBenchmarks.memory), on \(Machine.fileSystem(of: NodesBenchmarks.memory)). \
            SQLite is in \(options.folder), on \(Machine.fileSystem(of: options.folder)).

            """)
        let postgres = BenchPostgres(in: memory.makeFolder("database") + "/postgres", programs)
        defer { postgres.end() }
        let servers = BenchServers(program: program, base: base, isAlone: false)
        var goals: [Goal] = []
        let cases = NodesBenchmarks.cases.filter { options.wants($0.name) }
        if !cases.isEmpty { goals += measure(cases, servers, postgres) }
        if options.wants(NodesBenchmarks.unused) { goals.append(measureUnused(servers, postgres)) }
        if options.wants(NodesOutage.name) {
            goals += NodesOutage(servers: servers, postgres: postgres, isQuick: options.isQuick).run()
        }
        Goal.print(goals)
    }

    /// A folder in memory, so that no write waits for a disk.
    private static let memory =
        FileManager.default.isWritableFile(atPath: "/dev/shm")
        ? "/dev/shm" : FileManager.default.temporaryDirectory.path

    // MARK: Starting

    private func side(
        _ name: String, _ servers: BenchServers, of count: Int, over postgres: BenchPostgres, _ crowd: Crowd,
        used: Int? = nil
    ) -> NodesSide {
        let address = postgres.newAddress()
        let nodes = (0..<count).map { number in
            servers.caretd(
                data: servers.folder("node"),
                options: ["--store", address, "--node", "\(number)", "--allow-unreplicated"])
        }
        return NodesSide(name, nodes, over: postgres, crowd, used: used ?? count)
    }

    private func sides(_ each: Case, _ servers: BenchServers, _ postgres: BenchPostgres) -> [NodesSide] {
        let own = [
            side("3 servers", servers, of: 3, over: postgres, each.crowd),
            side("1 server", servers, of: 1, over: postgres, each.crowd),
        ]
        let alone = servers.caretd(data: servers.folder("sqlite"))
        return own + [NodesSide("1 server, SQLite", [alone], over: nil, each.crowd, used: 1)]
    }

    // MARK: Measuring

    private func measure(
        _ cases: [Case], _ servers: BenchServers, _ postgres: BenchPostgres
    ) -> [Goal] {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "elsewhere p50", "p99", "PostgreSQL", "servers", "load",
        ])
        var goals: [Goal] = []
        for each in cases {
            let sides = sides(each, servers, postgres)
            let turns = max(1, Int(seconds / 2))
            for _ in 0..<turns { for side in sides { side.run(for: seconds * 1e9 / Double(turns)) } }
            for side in sides {
                side.check()
                table.row(cells(side, each))
                side.end()
            }
            goals += self.goals(each, sides[0])
        }
        table.print(
            under: """
                Each line is measured for \(seconds.digits(1)) s, in turns of about 2 s. Elsewhere: from a push until a client of another
                server has it. PostgreSQL and servers: the CPU time of all its processes, and of all servers, for each push.
                Load: the share of a processor that the clients used. People type 8 changes a second, at random times. The other
                writers push again after each ack.
                """)
        return goals
    }

    private func cells(_ side: NodesSide, _ each: Case) -> [String] {
        let (acks, elsewhere) = (side.acks, side.deliveredElsewhere)
        let cells = [
            each.name, side.name, side.perSecond.digits(0), acks.percentile(50).time,
            acks.percentile(99).time,
        ]
        let elsewhereCells =
            elsewhere.count > 0 ? [elsewhere.percentile(50).time, elsewhere.percentile(99).time] : ["", ""]
        return cells + elsewhereCells + [
            side.databasePerPush.isNaN ? "" : side.databasePerPush.time, side.serversPerPush.time,
            side.loadShare.digits(2),
        ]
    }

    private func goals(_ each: Case, _ side: NodesSide) -> [Goal] {
        var goals: [Goal] = []
        if let most = each.elsewhere {
            let median = side.deliveredElsewhere.percentile(50)
            goals.append(Goal(each.name + ": elsewhere p50", .atMost(most), median) { $0.time })
        }
        if let least = each.perSecond {
            goals.append(
                Goal(each.name + ": pushes a second", .atLeast(least), side.perSecond) { $0.digits(0) })
        }
        if let most = each.cpu {
            goals.append(
                Goal(each.name + ": PostgreSQL", .atMost(most.database), side.databasePerPush) { $0.time })
            goals.append(
                Goal(each.name + ": servers", .atMost(most.servers), side.serversPerPush) { $0.time })
        }
        return goals
    }

    private func measureUnused(_ servers: BenchServers, _ postgres: BenchPostgres) -> Goal {
        let crowd = Crowd(documents: 100)
        let side = side("3 servers", servers, of: 3, over: postgres, crowd, used: 1)
        let idle = side.idleLastServer()
        side.run(for: seconds * 1e9)
        side.check()
        side.end()
        let cost = side.lastServerPerPush(idle: idle)
        print(
            """
            100 documents are open at one of three servers, and get \(side.perSecond.digits(0)) pushes a second. Another server \
            uses \(cost.time) of CPU time for each push, beside \((idle / 1e9 * 100).digits(2)) % of a processor without pushes.

            """)
        return Goal(NodesBenchmarks.unused, .atMost(NodesBenchmarks.mostUnused), cost) { $0.time }
    }
}
