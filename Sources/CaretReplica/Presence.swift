package import CaretCore
package import CaretWire

/// Another session's selections in the document.
package struct PeerSelections: Equatable, Sendable {
    package let session: WireString
    package internal(set) var selections: [Selection]

    package init(session: WireString, selections: [Selection]) {
        self.session = session
        self.selections = selections
    }

    init(_ peer: Peer) {
        self.init(session: peer.session, selections: peer.selections.map { Selection($0) })
    }
}

/// The selections in a document. The user's own selections are positions in the view. The peers' selections
/// are positions in the committed text.
package struct Presence: Equatable, Sendable {
    /// The user's own selections. Nil until the user has selected something.
    package private(set) var own: [Selection]?
    /// The user's selections as the server has them, at the replica's revision. Nil if the server has none of
    /// them, or may have dropped them.
    package private(set) var sent: [Selection]?
    /// The revision at which the selections were sent.
    private var sentAt: Revision = 0
    /// The peers' selections, in the order in which the peers appeared.
    package private(set) var peers: [PeerSelections] = []

    package init() {}

    package mutating func select(_ selections: [Selection]) { own = selections }

    /// The selections to send, or nil if the server has them. Call this method only while the view shows the
    /// committed text.
    package mutating func selectionsToSend(at revision: Revision) -> [Selection]? {
        guard let own, sent != own else { return nil }
        sent = own
        sentAt = revision
        return own
    }

    /// Notes that `revision` is the server's newest revision.
    // If the server cannot rebase selections from the revision at which they were sent, it drops them and
    // sends no answer. So if the server may have dropped selections, the replica sends them again.
    package mutating func reachedHead(_ revision: Revision) {
        if sentAt < revision { sent = nil }
    }

    /// Notes that the server has no selections of the user, or that the replica does not know which
    /// selections the server has.
    package mutating func forgetSent() { sent = nil }

    package mutating func viewChanged(by change: Change) {
        own = own?.map { $0.mapped(through: change) }
    }

    package mutating func committedChanged(by change: Change) {
        sent = sent?.map { $0.mapped(through: change) }
        for index in peers.indices {
            peers[index].selections = peers[index].selections.map { $0.mapped(through: change) }
        }
    }

    package mutating func replacePeers(with peers: [PeerSelections], in committed: TextBuffer) {
        self.peers = []
        for peer in peers { put(peer, in: committed) }
    }

    /// Stores a peer's selections. Selections that do not fit the text are left out.
    package mutating func put(_ peer: PeerSelections, in committed: TextBuffer) {
        var (fitting, peer): ([Selection], PeerSelections) = ([], peer)
        for selection in peer.selections
        where committed.isScalarBoundary(selection.anchor) && committed.isScalarBoundary(selection.head) {
            fitting.append(selection)
        }
        peer.selections = fitting
        if let index = index(of: peer.session) {
            peers[index] = peer
        } else {
            peers.append(peer)
        }
    }

    /// Removes the peer with this session. Returns false if there is none.
    package mutating func remove(_ session: WireString) -> Bool {
        guard let index = index(of: session) else { return false }
        peers.remove(at: index)
        return true
    }

    private func index(of session: WireString) -> Int? { peers.firstIndex { $0.session == session } }
}
