/// Requests the list of the servers that use the store.
package struct ListNodes: WireMessage {
    package static var type: StaticString { "list_nodes" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// A server as listed by `nodes`.
package struct ServerSummary: Equatable, Sendable {
    package var name: WireString
    /// Where clients reach the server; nil if it listens only on its admin socket.
    package var address: WireString?
    package var version: WireString
    /// When the server started, in milliseconds.
    package var since: Int
    /// Milliseconds since the server was last heard of.
    package var silent: Int
    package var connections: Int
    /// The number of documents that are open.
    package var documents: Int
    /// Whether the server is the one that answers.
    package var isAnswering: Bool

    package init(
        name: WireString, address: WireString?, version: WireString, since: Int, silent: Int,
        connections: Int, documents: Int, isAnswering: Bool = false
    ) {
        self.name = name
        self.address = address
        self.version = version
        self.since = since
        self.silent = silent
        self.connections = connections
        self.documents = documents
        self.isAnswering = isAnswering
    }

    fileprivate init(_ fields: Fields) throws(FieldFault) {
        name = try fields.string("name")
        address = try fields.string(optional: "address")
        version = try fields.string("version")
        since = try fields.integer("since")
        silent = try fields.integer("silent_ms")
        connections = try fields.integer("connections")
        documents = try fields.integer("documents")
        isAnswering = try fields.flag("answering")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("address", address)
        writer.member("version", version)
        writer.member("since", since)
        writer.member("silent_ms", silent)
        writer.member("connections", connections)
        writer.member("documents", documents)
        writer.member("answering", ifTrue: isAnswering)
        writer.endObject()
    }
}

/// The answer to `list_nodes`.
package struct ServerList: WireMessage {
    package static var type: StaticString { "nodes" }

    /// At most 1,000 servers.
    package var servers: [ServerSummary]

    package init(_ servers: [ServerSummary]) { self.servers = servers }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        servers = try fields.array("nodes") { value throws(FieldFault) in
            try ServerSummary(try Fields(value, limits: limits))
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("nodes", servers) { writer, server in server.write(to: &writer) }
    }
}
