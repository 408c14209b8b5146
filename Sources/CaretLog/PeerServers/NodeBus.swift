package import CaretCore

/// How servers over one store notify each other of changes. A store for a single server has no bus.
package protocol NodeBus: Sendable {
    /// Publishes notifications to the other servers that need them.
    func publish(_ notifications: [PeerNotification])

    /// This server has opened a document, and needs its news. News from some seconds before come too, so a document may
    /// be read before this call.
    func opened(_ document: DocumentID)

    /// This server has closed a document that was opened before.
    func closed(_ document: DocumentID)

    /// This server needs the news of all documents, or no longer.
    func needAll(_ all: Bool)

    /// Calls `receive` for each event, on any thread, until the store is closed. `receive` must return soon.
    func listen(_ receive: @escaping @Sendable (BusEvent) -> Void)

    /// Reports how this server is used, for the list of servers. A newer report replaces an older one.
    func report(_ report: NodeReport)

    /// For how many milliseconds the oldest unsent notification has waited; 0 if all are sent.
    var unsentAge: Int64 { get }
}

/// What one server publishes to the others. It is a hint: it may be late, repeated, out of order or lost. So a server
/// that receives it reads the store.
package enum PeerNotification: Hashable, Sendable {
    /// The document has at least this revision.
    case head(DocumentID, Revision)
    /// The document was created, renamed, deleted or undeleted, or its history was trimmed or redacted.
    case changed(DocumentID)
    case revoked(TokenID)
    /// The store has a new sign-out.
    case signedOut
    /// A client joined a server at this time, in milliseconds. Its older connections to other servers must end.
    case joined(PublicPusher, at: Int64)
    /// A session of the sender has selected something.
    case selected(PublishedSession)
    /// The session with this public id has left a document.
    case left(DocumentID, ByteString)
    /// The sender asks for the selections of all sessions that have the document open.
    case roster(DocumentID)
}

/// What a server learns from the bus.
package enum BusEvent: Equatable, Sendable {
    case received(NodeID, [PeerNotification])
    /// Messages of another server arrive from now on. It may not know of the sessions here.
    case found(NodeID)
    /// A message of another server was missed.
    case missed
    /// A run of a server has ended or gone silent.
    case gone(NodeID)
}

/// One run of a server among those over one store.
package struct NodeID: Comparable, Hashable, Sendable {
    /// The number of the server in the store.
    package let node: Int64
    /// A random number that differs between the runs of a server.
    package let run: UInt64

    package init(node: Int64, run: UInt64) { (self.node, self.run) = (node, run) }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        (left.node, left.run) < (right.node, right.run)
    }
}

/// A user and the public id of one of the user's clients, which other servers may know.
package struct PublicPusher: Hashable, Sendable {
    package let user: ByteString
    package let client: ByteString

    package init(user: ByteString, client: ByteString) { (self.user, self.client) = (user, client) }
}
