package import CaretCore

/// One run of a server among those over one store.
package struct NodeID: Comparable, Hashable, Sendable {
    /// The number of the server in the store.
    package let node: Int64
    /// A random number that differs between the runs of a server.
    package let run: UInt64

    package init(node: Int64, run: UInt64) {
        self.node = node
        self.run = run
    }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        (left.node, left.run) < (right.node, right.run)
    }
}

/// What a server tells the others of one of its sessions: who it is, and what it has selected.
package struct GuestNews: Hashable, Sendable {
    package let document: DocumentID
    /// The document's part of the epoch.
    package let epoch: UInt64
    /// The selections count in the text at this revision, in UTF-16.
    package let revision: Revision
    /// The public id of the session.
    package let session: ByteString
    package let user: ByteString
    /// The public id of the client.
    package let client: ByteString
    /// The JSON text with which the client describes itself; nil if it does not.
    package let info: ByteString?
    /// Grows with each change of the session's selections.
    package let moment: Int
    package let selections: [Selection]

    /// More selections of one session are not told to other servers.
    package static let mostSelections = 100

    package init(
        document: DocumentID, epoch: UInt64, revision: Revision, session: ByteString, user: ByteString,
        client: ByteString, info: ByteString?, moment: Int, selections: [Selection]
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.session = session
        self.user = user
        self.client = client
        self.info = info
        self.moment = moment
        self.selections = selections
    }
}
