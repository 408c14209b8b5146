/// Requests a page of the current connections.
package struct Who: WireMessage {
    package static var type: StaticString { "who" }

    /// The page begins after the connection with this number.
    package var after: Int?
    package var limit: Int

    package init(after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// A connection as listed by `present`.
package struct ConnectionSummary: Equatable, Sendable {
    /// The number of the connection, which the log uses too.
    package var number: Int
    package var user: WireString
    /// The public id of the client.
    package var client: WireString
    /// The remote address and port, or `unix`; nil if it is not known.
    package var peer: WireString?
    /// When the server sent `welcome` on this connection, in milliseconds.
    package var since: Int
    /// The documents that are open on this connection.
    package var documents: [WireString]
    /// The open documents whose changes the server reads from disk, because this connection is slow.
    package var behind: [WireString]

    package init(
        number: Int, user: WireString, client: WireString, peer: WireString?, since: Int,
        documents: [WireString], behind: [WireString] = []
    ) {
        self.number = number
        self.user = user
        self.client = client
        self.peer = peer
        self.since = since
        self.documents = documents
        self.behind = behind
    }

    fileprivate init(_ value: JSONValue, _ limits: Limits.Announced) throws(FieldFault) {
        let fields = try Fields(value, limits: limits)
        number = try fields.integer("number")
        user = try fields.string("user")
        client = try fields.string("client")
        peer = try fields.string(optional: "peer")
        since = try fields.integer("since")
        documents = try fields.array("docs") { value throws(FieldFault) in
            try value.string(atMost: .max, orElse: .badMessage)
        }
        behind =
            try fields.array(optional: "behind") { value throws(FieldFault) in
                try value.string(atMost: .max, orElse: .badMessage)
            } ?? []
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", number)
        writer.member("user", user)
        writer.member("client", client)
        writer.member("peer", peer)
        writer.member("since", since)
        writer.member("docs", documents) { $0.value($1) }
        if !behind.isEmpty { writer.member("behind", behind) { $0.value($1) } }
        writer.endObject()
    }
}

/// The answer to `who`.
package struct ConnectionPage: WireMessage {
    package static var type: StaticString { "present" }

    package var connections: [ConnectionSummary]
    /// More connections follow the last one of this page.
    package var hasMore: Bool

    package init(_ connections: [ConnectionSummary], hasMore: Bool = false) {
        self.connections = connections
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        connections = try fields.array("connections") { value throws(FieldFault) in
            try ConnectionSummary(value, limits)
        }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("connections", connections) { writer, connection in connection.write(to: &writer) }
        writer.member("more", ifTrue: hasMore)
    }
}
