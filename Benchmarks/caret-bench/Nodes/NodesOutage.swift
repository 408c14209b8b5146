import Glibc

/// Two servers over one PostgreSQL that stops for a while, although people of one server move their carets all the time.
struct NodesOutage {
    let servers: BenchServers
    let postgres: BenchPostgres
    let isQuick: Bool

    static let name = "carets of 100 during outages"
    private static let (clients, perSecond) = (100, 10)
    /// The lengths of the outages in seconds. Servers try to connect at times that do not depend on the outage, so that
    /// short outages show how much the times differ.
    private var lengths: [Double] { isQuick ? [5] : [10, 10, 10, 10, 10, 300] }
    /// The most resident memory of a server, in bytes.
    private static let mostMemory = 45e6
    /// The longest time until the other server shows every caret again, in nanoseconds.
    private static let mostTime = 2e9
    /// If it takes longer than this, the measurement goes on.
    private static let patience = 60e9

    func run() -> [Goal] {
        let address = postgres.newAddress()
        let nodes = ["a", "b"].map { name in
            servers.caretd(
                data: servers.folder("node"),
                options: ["--store", address, "--node", name, "--allow-unreplicated"])
        }
        PlainClient("bench-maker", port: nodes[0].port).make(Crowd.name(of: 0), MeasuredServer.text)
        var carets = MovingCarets(
            clients: NodesOutage.clients, perSecond: NodesOutage.perSecond, port: nodes[0].port,
            watchedAt: nodes[1].port)
        var table = Table(["outage", "first caret", "all carets", "memory before", "during", "after"])
        var (memory, longest) = (0.0, 0.0)
        for length in lengths {
            carets.run(until: wallNanoseconds() + 3e9)
            let before = nodes.map(\.resident)
            postgres.stop()
            var during = before
            for _ in 0..<Int(length) {
                carets.run(until: wallNanoseconds() + 1e9)
                during = zip(during, nodes).map { max($0, $1.resident) }
            }
            postgres.startAgain()
            let (first, all) = carets.timesUntilCurrent(atMost: NodesOutage.patience)
            carets.run(until: wallNanoseconds() + 3e9)
            let after = nodes.map(\.resident)
            let cells = [before, during, after].map { $0.map(\.megabytes).joined(separator: ", ") }
            table.row(["\(Int(length)) s", first.time, all.time] + cells)
            memory = (during + after).reduce(memory, max)
            longest = max(longest, all)
        }
        carets.disconnect()
        for node in nodes { node.end() }
        table.print(
            under: """
                \(NodesOutage.clients) clients of one server move their carets \(NodesOutage.perSecond) times a second, and PostgreSQL refuses
                connections for some time. First and all carets: from the moment when PostgreSQL accepts connections until a
                client of the other server sees a later move of one client, and of each client. Memory: the resident memory of
                the two servers, before the outage, at most during the outage, and 3 s after the carets.
                """)
        return [
            Goal(NodesOutage.name + ": all carets", .atMost(NodesOutage.mostTime), longest) { $0.time },
            Goal(NodesOutage.name + ": memory", .atMost(NodesOutage.mostMemory), memory) { $0.megabytes },
        ]
    }
}
