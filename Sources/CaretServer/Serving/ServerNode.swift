import CaretLog
import CaretWire

/// This server in a list of servers.
struct ServerNode: Sendable {
    private let name: WireString
    private let address: @Sendable () -> WireString?
    private let version: WireString
    /// When the server started, in milliseconds.
    private let started: Int64

    init(_ settings: ServerSettings, started: Int64) {
        name = settings.node
        address = settings.address
        version = settings.name
        self.started = started
    }

    func report(_ load: NodeLoad) -> NodeReport {
        NodeReport(
            address: address()?.string ?? "", version: version.string, started: started, load: load)
    }

    /// The list of this server and the others, sorted by name.
    func list(_ load: NodeLoad, _ others: [NodeEntry]) -> ServerList {
        let own = NodeEntry(name: name.string, report: report(load), silence: 0)
        let servers = others.map { ServerSummary($0) } + [ServerSummary(own, isAnswering: true)]
        return ServerList(servers.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
}

extension ServerSummary {
    fileprivate init(_ entry: NodeEntry, isAnswering: Bool = false) {
        let report = entry.report
        self.init(
            name: WireString(entry.name), address: report.address.isEmpty ? nil : WireString(report.address),
            version: WireString(report.version), since: Int(report.started), silent: Int(entry.silence),
            connections: report.load.connections, documents: report.load.documents,
            isAnswering: isAnswering)
    }
}
