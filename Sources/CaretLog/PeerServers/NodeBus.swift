package import CaretCore

/// How servers over one store tell each other what has changed. A store for a single server has no bus.
package protocol NodeBus: Sendable {
    /// Tells all other servers.
    func publish(_ news: [NodeNews])

    /// Calls `hear` for everything that other servers tell, on any thread, until the store is closed. `hear` must
    /// return soon.
    func listen(_ hear: @escaping @Sendable (NodeEvent) -> Void)

    /// Says how this server is used, for the list of servers. A newer report replaces an older one.
    func report(_ report: NodeReport)

    /// For how many milliseconds the oldest unsent news have waited; 0 if all news are sent.
    var newsAge: Int64 { get }
}

/// What one server tells the others. It is a hint: it may be late, repeated, out of order or lost. So a server that
/// hears it asks the store.
package enum NodeNews: Hashable, Sendable {
    /// The document has at least this revision.
    case head(DocumentID, Revision)
    /// The document was created, renamed, deleted or undeleted, or its history was trimmed or redacted.
    case changed(DocumentID)
    case revoked(TokenID)
    /// A client joined a server at this time, in milliseconds. Its older connections to other servers must end.
    case joined(PublicPusher, at: Int64)
    /// A session of the sender has selected something.
    case selected(GuestNews)
    /// The session with this public id has left a document.
    case left(DocumentID, ByteString)
    /// The sender asks for the selections of all sessions that have the document open.
    case roster(DocumentID)
}

/// What a server hears of the others.
package enum NodeEvent: Equatable, Sendable {
    case news(NodeID, [NodeNews])
    /// Another server is heard from now on. It may not know of the sessions here.
    case found(NodeID)
    /// Something that another server told was lost.
    case missed
    /// A run of a server has ended, or its messages do not arrive any more.
    case gone(NodeID)
}

/// A user and the public id of one of the user's clients, which other servers may know.
package struct PublicPusher: Hashable, Sendable {
    package let user: ByteString
    package let client: ByteString

    package init(user: ByteString, client: ByteString) {
        self.user = user
        self.client = client
    }
}
