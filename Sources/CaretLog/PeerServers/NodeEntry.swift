/// What a server says of itself in a list of servers.
package struct NodeReport: Equatable, Sendable {
    /// Where clients reach the server; empty if it listens nowhere.
    package var address: String
    package var version: String
    /// When the server started, in milliseconds.
    package var started: Int64
    package var load: NodeLoad

    package init(address: String, version: String, started: Int64, load: NodeLoad = NodeLoad()) {
        self.address = address
        self.version = version
        self.started = started
        self.load = load
    }
}

/// How much a server is used.
package struct NodeLoad: Equatable, Sendable {
    /// The clients that are connected.
    package var connections: Int
    /// The documents that are open.
    package var documents: Int

    package init(connections: Int = 0, documents: Int = 0) {
        self.connections = connections
        self.documents = documents
    }
}

/// A server over the store, as it has last reported.
package struct NodeEntry: Equatable, Sendable {
    package let name: String
    package let report: NodeReport
    /// Milliseconds since the last report, by the clock of the store.
    package let silence: Int64

    package init(name: String, report: NodeReport, silence: Int64) {
        self.name = name
        self.report = report
        self.silence = silence
    }
}
