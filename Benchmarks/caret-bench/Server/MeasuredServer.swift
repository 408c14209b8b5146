import Glibc

/// One server with its crowd, and the measurements of both.
final class MeasuredServer {
    struct Sample {
        let slice: CrowdLoad.Slice
        /// The CPU time of the server, in nanoseconds.
        let serverCPU: Double

        var perSecond: Double { Double(slice.pushes) / slice.wall * 1e9 }
        var cpuPerPush: Double { serverCPU / Double(slice.pushes) }
        var cpuPerDelivery: Double { serverCPU / Double(slice.deliveries) }
    }

    let name: String
    let server: ServerProcess
    private var load: CrowdLoad
    private(set) var samples: [Sample] = []
    /// The server's resident memory at the end, in bytes.
    private(set) var resident = 0.0

    init(_ name: String, _ server: ServerProcess, _ dialect: WireDialect, _ crowd: Crowd) {
        self.name = name
        self.server = server
        MeasuredServer.makeDocuments(of: crowd, dialect, port: server.port)
        load = CrowdLoad(crowd, dialect, port: server.port)
        // The first run is not measured, because files and caches grow during it.
        _ = load.run(for: 0.2e9)
    }

    static func makeDocuments(of crowd: Crowd, _ dialect: WireDialect, port: UInt16) {
        let names = (0..<crowd.documents).map(Crowd.name)
        switch dialect {
        case .caret:
            let client = PlainClient("bench-maker", port: port)
            for name in names { client.make(name, text) }
        case .yjs: for name in names { CrowdLoad.makeInYjs(name, text, port: port) }
        // The bare server stores lines, not texts, so it needs no first text.
        case .bare: return
        }
    }

    /// An ASCII text of `Crowd.textBytes`, in lines.
    static let text = String(
        repeating: String(repeating: "a text ", count: 7) + "\n", count: Crowd.textBytes / 50)

    @discardableResult
    func run(for nanoseconds: Double) -> Sample {
        let end = wallNanoseconds() + nanoseconds
        return run { wallNanoseconds() >= end }
    }

    @discardableResult
    func run(until isDone: () -> Bool) -> Sample {
        let before = server.nanoseconds
        let slice = load.run(until: isDone)
        samples.append(Sample(slice: slice, serverCPU: server.nanoseconds - before))
        return samples[samples.count - 1]
    }

    func end() {
        resident = server.resident
        // Disconnects before the server ends, because the server would wait for its clients.
        load.disconnect()
        server.end()
    }

    func pauseLastClient() { load.pauseLastClient() }

    /// Lets the paused client read again until it has every revision.
    func resumeLastClient() {
        load.resumeLastClient()
        load.drain()
    }

    // MARK: Figures

    var perSecond: Double { samples.map(\.perSecond).median }
    var resyncs: Int { load.resyncs }

    /// The median over all turns of this ratio: the value of this server, divided by the value of `other`.
    func ratio(to other: MeasuredServer, _ value: (Sample) -> Double) -> Double {
        zip(samples, other.samples).map { value($0) / value($1) }.median
    }

    /// The server's CPU time for 100,000 pushes, in seconds.
    var cpuPer100000Pushes: Double { total(\.serverCPU) / pushes * 100_000 / 1e9 }
    /// The load's CPU time for 100,000 pushes, in seconds.
    var loadCPUPer100000Pushes: Double { total(\.slice.loadCPU) / pushes * 100_000 / 1e9 }
    /// The server's total CPU time per delivery, in nanoseconds; 0 without deliveries.
    var totalCPUPerDelivery: Double {
        let deliveries = total { Double($0.slice.deliveries) }
        return deliveries > 0 ? total(\.serverCPU) / deliveries : 0
    }

    var acks: Latencies { samples.reduce(into: Latencies()) { $0 += $1.slice.acks } }
    var delivered: Latencies { samples.reduce(into: Latencies()) { $0 += $1.slice.delivered } }

    /// The 50th and 99th percentile of acks and of deliveries; empty cells if there were none.
    var latencyCells: [String] {
        [acks, delivered].flatMap { times in
            [50.0, 99].map { times.count > 0 ? times.percentile($0).time : "" }
        }
    }

    /// The ratios to another server: its name, rates, latencies, and CPU time of a push and of a delivery.
    func ratioCells(to other: MeasuredServer) -> [String] {
        let percentiles = [
            (acks, other.acks, 50.0), (acks, other.acks, 99), (delivered, other.delivered, 50),
            (delivered, other.delivered, 99),
        ]
        let latencies = percentiles.map { own, other, percent in
            own.count > 0 && other.count > 0
                ? (own.percentile(percent) / other.percentile(percent)).digits(2) : ""
        }
        let delivers = delivered.count > 0 && other.delivered.count > 0
        let cpuPerDelivery = delivers ? ratio(to: other, \.cpuPerDelivery).digits(2) : ""
        return ["ratio to \(other.name)", ratio(to: other, \.perSecond).digits(2)] + latencies
            + [ratio(to: other, \.cpuPerPush).digits(2), cpuPerDelivery]
    }

    private var pushes: Double { total { Double($0.slice.pushes) } }

    private func total(_ value: (Sample) -> Double) -> Double { samples.reduce(0) { $0 + value($1) } }
}
