/// The server's memory for idle connections over each transport.
struct WebMemory {
    let servers: WebServers

    static let name = "idle connections"
    private static let count = 1_000

    func run() {
        var table = Table(["", "count", "before", "after", "each"])
        var goals: [Goal] = []
        for (transport, most) in zip(servers.transports, [nil, 2.2e6, 18e6]) {
            let server = servers.started()
            let memory = ServerMemory.idle(WebMemory.count, over: transport, server)
            server.end()
            let growth = memory.after - memory.before
            table.row(
                transport.name, String(WebMemory.count), memory.before.megabytes, memory.after.megabytes,
                (growth / Double(WebMemory.count)).digits(0) + " B")
            guard let most else { continue }
            goals.append(
                Goal("1,000 idle connections, \(transport.name)", .atMost(most), growth) { $0.megabytes })
        }
        table.print(
            under: """
                Resident memory of caretd with connections that have only said hello. Each transport has a caretd of its own.
                Before: 200 such connections are already open.
                """)
        Goal.print(goals)
    }
}
