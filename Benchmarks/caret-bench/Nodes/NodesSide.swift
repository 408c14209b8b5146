import Glibc

/// Servers over one store with a crowd that is spread over them, and the measurements of all.
final class NodesSide {
    private struct Sample {
        let slice: CrowdLoad.Slice
        /// The CPU time of all servers, of each one, and of PostgreSQL, in nanoseconds.
        let servers: [Double]
        let database: Double
    }

    let name: String
    private let servers: [ServerProcess]
    /// Nil over SQLite.
    private let postgres: BenchPostgres?
    private var load: CrowdLoad
    private var samples: [Sample] = []
    private var allPushes = 0

    /// Connects the clients to the first `used` servers.
    init(_ name: String, _ servers: [ServerProcess], over postgres: BenchPostgres?, _ crowd: Crowd, used: Int)
    {
        (self.name, self.servers, self.postgres) = (name, servers, postgres)
        MeasuredServer.makeDocuments(of: crowd, .caret, port: servers[0].port)
        load = CrowdLoad(crowd, .caret, ports: servers.prefix(used).map(\.port))
        // The first run is not measured, because files and caches grow during it.
        allPushes += load.run(for: 0.5e9).pushes
        postgres?.checkpoint()
    }

    func run(for nanoseconds: Double) {
        let (before, databaseBefore) = (servers.map(\.nanoseconds), postgres?.nanoseconds ?? 0)
        let slice = load.run(for: nanoseconds)
        let used = zip(servers, before).map { $0.nanoseconds - $1 }
        let database = (postgres?.nanoseconds ?? 0) - databaseBefore
        samples.append(Sample(slice: slice, servers: used, database: database))
        allPushes += slice.pushes
    }

    /// Checks that each server has all revisions of all documents, and no others. All pushes were acked, because the load
    /// waits for that.
    func check() {
        let documents = load.documents
        precondition(
            documents.reduce(0) { $0 + $1.head - $1.start } == allPushes,
            "the clients have pushed \(allPushes) times, and have received another number of revisions")
        for server in servers {
            let client = PlainClient("bench-judge", port: server.port)
            for (number, document) in documents.enumerated() {
                let head = client.head(of: Crowd.name(of: number))
                precondition(
                    head == document.head,
                    "a server has revision \(head) of document \(number), whose head is \(document.head)")
            }
        }
    }

    func end() {
        // Disconnects before the servers end, because they would wait for their clients.
        load.disconnect()
        for server in servers { server.end() }
    }

    // MARK: Figures

    var perSecond: Double { pushes / total(\.slice.wall) * 1e9 }
    var acks: Latencies { samples.reduce(into: Latencies()) { $0 += $1.slice.acks } }
    var delivered: Latencies { samples.reduce(into: Latencies()) { $0 += $1.slice.delivered } }
    var deliveredElsewhere: Latencies {
        samples.reduce(into: Latencies()) { $0 += $1.slice.deliveredElsewhere }
    }
    /// The CPU time of all servers and of PostgreSQL for each push, in nanoseconds.
    var serversPerPush: Double { total { $0.servers.reduce(0, +) } / pushes }
    var databasePerPush: Double { postgres == nil ? .nan : total(\.database) / pushes }
    /// The share of the time in which the load used a processor.
    var loadShare: Double { total(\.slice.loadCPU) / total(\.slice.wall) }

    /// The CPU time of the last server for each push, in nanoseconds, less what it uses in the same time without pushes.
    func lastServerPerPush(idle perSecond: Double) -> Double {
        let idle = perSecond * total(\.slice.wall) / 1e9
        return (total { $0.servers.last ?? 0 } - idle) / pushes
    }

    /// What the last server uses in a second without pushes, in nanoseconds.
    func idleLastServer() -> Double {
        guard let last = servers.last else { return 0 }
        let (before, start) = (last.nanoseconds, wallNanoseconds())
        // The measurement itself: nothing happens in this time.
        sleep(3)
        return (last.nanoseconds - before) / (wallNanoseconds() - start) * 1e9
    }

    private var pushes: Double { total { Double($0.slice.pushes) } }

    private func total(_ value: (Sample) -> Double) -> Double { samples.reduce(0) { $0 + value($1) } }
}
