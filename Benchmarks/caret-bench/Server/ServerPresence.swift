import Glibc

/// The CPU time of the server while many clients move their carets in one document, and how old the carets
/// are that the others see.
struct ServerPresence {
    let servers: BenchServers
    let seconds: Double

    struct Case: Sendable {
        let clients: Int
        /// How often each client moves its caret in a second.
        let perSecond: Int
        /// The most processors that the server may use.
        let goal: Double

        var name: String { "carets of \(clients), \(perSecond) a second" }
    }

    static let cases = [
        Case(clients: 100, perSecond: 10, goal: 0.1),
        Case(clients: 1_000, perSecond: 1, goal: 0.3),
    ]
    /// The highest age of a caret, in nanoseconds.
    private static let mostAge = 100e6

    func run(_ cases: [Case]) {
        var table = Table([
            "", "carets/s", "received/s", "age p50", "p99", "highest", "CPU of the server", "CPU of a caret",
            "load CPU",
        ])
        var goals: [Goal] = []
        for each in cases {
            let server = servers.caretd(data: servers.folder("presence"))
            defer { server.end() }
            PlainClient("bench-maker", port: server.port).make(Crowd.name(of: 0), MeasuredServer.text)
            var load = CaretLoad(clients: each.clients, port: server.port)
            // The first run is not measured, because caches grow during it.
            _ = load.run(for: 0.5e9, perSecond: each.perSecond)
            let before = server.nanoseconds
            let slice = load.run(for: seconds * 1e9, perSecond: each.perSecond)
            let used = server.nanoseconds - before
            let (wall, sent) = (slice.wall / 1e9, Double(slice.sent))
            table.row(
                each.name, (sent / wall).digits(0), (Double(slice.received) / wall).digits(0),
                slice.ages.percentile(50).time, slice.ages.percentile(99).time, slice.highestAge.time,
                (used / slice.wall).digits(3), (used / sent).time, (slice.loadCPU / slice.wall).digits(2))
            goals.append(
                Goal(each.name + ": CPU, processors", .atMost(each.goal), used / slice.wall) { $0.digits(3) })
            goals.append(
                Goal(each.name + ": highest age", .atMost(ServerPresence.mostAge), slice.highestAge) {
                    $0.time
                })
        }
        table.print(
            under: """
                All clients have the same document open, and each moves its caret at a steady rate, for \(seconds.digits(1)) s. The server sends
                each client the latest caret of every other client, at most once in 50 ms. Age: the time from the first move
                that a client does not know until it gets a newer caret of the same client. CPU is that of the server's
                process, in processors. Load CPU is that of the clients, which share the machine.
                """)
        Goal.print(goals)
    }
}
