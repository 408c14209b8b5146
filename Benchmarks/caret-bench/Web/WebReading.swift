/// Reading a document over HTTP, compared with a message that reads it, and with a bare server in C.
struct WebReading {
    let servers: WebServers
    let seconds: Double

    static let name = "GET of 10 KB"
    private static let clients = 32

    /// A server with its clients, and the measurements of both.
    private final class Side {
        let name: String
        private let server: ServerProcess
        private var load: RequestLoad
        /// For each turn: the answers per second, and the CPU time of the server per answer.
        private(set) var rates: [Double] = []
        private(set) var costs: [Double] = []

        init(_ name: String, _ server: ServerProcess, _ request: RequestLoad.Request) {
            (self.name, self.server) = (name, server)
            load = RequestLoad(WebReading.clients, request, port: server.port)
            // The first run is not measured, because files and caches grow during it.
            _ = load.run(for: 0.2e9)
        }

        func run(for nanoseconds: Double) {
            let before = server.nanoseconds
            let (answers, wall) = load.run(for: nanoseconds)
            rates.append(Double(answers) / wall * 1e9)
            costs.append((server.nanoseconds - before) / Double(answers))
        }
    }

    func run() {
        let caretd = servers.started()
        PlainClient("bench-maker", port: caretd.port).make(Crowd.name(of: 0), MeasuredServer.text)
        let bare = ServerProcess(.http)
        let line = #"{"type":"read","doc":"\#(Crowd.name(of: 0))"}"#
        let sides = [
            Side("caretd, lines", caretd, .line(line)),
            Side("caretd, GET", caretd, .get(path: BareDocument.path)),
            Side("bare, GET", bare, .get(path: BareDocument.path)),
        ]
        let turns = CrowdTurns(of: seconds * 1e9)
        for _ in 0..<turns.count { for side in sides { side.run(for: turns.length) } }
        for server in [caretd, bare] { server.end() }
        var table = Table(["", "answers/s", "ratio", "CPU of an answer", "ratio"])
        for side in sides {
            table.row(
                side.name, side.rates.median.digits(0), ratio(side.rates, sides[2].rates).digits(2),
                side.costs.median.time, ratio(side.costs, sides[2].costs).digits(2))
        }
        table.print(
            under: """
                \(WebReading.clients) clients read a document of 10 KB. Each sends its next request after the whole answer, over the same connection.
                The bare server has one thread, checks request heads as strictly as caretd, and sends a text from its memory. The
                message over lines reads the same document. The sides run in turns, \(turns.length.time) each, \(turns.count) times; figures are medians of the turns.
                Ratios compare with the bare server: each is the median of the ratios of the turns.
                """)
        let rate = ratio(sides[1].rates, sides[2].rates)
        let work = ratio(sides[2].costs, sides[1].costs)
        Goal.print([
            Goal("GET of 10 KB, answers a second, ratio", .atLeast(0.6), rate) { $0.digits(2) },
            Goal("GET of 10 KB, answers for a second of CPU, ratio", .atLeast(0.6), work) { $0.digits(2) },
        ])
    }

    private func ratio(_ values: [Double], _ others: [Double]) -> Double {
        zip(values, others).map { $0 / $1 }.median
    }
}
