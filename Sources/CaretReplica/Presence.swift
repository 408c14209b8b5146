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

/// The selections in a document: one's own, in the view, and the peers', in the committed text.
package struct Presence: Equatable, Sendable {
    /// One's own; nil before they are known for the first time.
    package private(set) var own: [Selection]?
    /// What the server holds as one's own, at the revision the replica is at; nil where it holds nothing.
    package private(set) var told: [Selection]?
    /// The revision they were told at.
    private var toldAt: Revision = 0
    /// In the order in which they came.
    package private(set) var peers: [PeerSelections] = []

    package init() {}

    package mutating func select(_ selections: [Selection]) { own = selections }

    /// What is to be told to the server, once the view is the committed text.
    package mutating func selectionsToTell(at revision: Revision) -> [Selection]? {
        guard let own, told != own else { return nil }
        told = own
        toldAt = revision
        return own
    }

    /// The server is at this revision too.
    // It drops selections told at a revision that it cannot move them from any more, without a word; where that may
    // have happened they are told once more.
    package mutating func reachedHead(_ revision: Revision) {
        if toldAt < revision { told = nil }
    }

    /// The server holds nothing as one's own, or it is not known what.
    package mutating func forgetTold() { told = nil }

    package mutating func viewChanged(by change: Change) {
        own = own?.map { $0.mapped(through: change) }
    }

    package mutating func committedChanged(by change: Change) {
        told = told?.map { $0.mapped(through: change) }
        for index in peers.indices {
            peers[index].selections = peers[index].selections.map { $0.mapped(through: change) }
        }
    }

    package mutating func replacePeers(with peers: [PeerSelections], in committed: Text) {
        self.peers = []
        for peer in peers { put(peer, in: committed) }
    }

    /// Takes in a peer's selections, without those that have no place in the text.
    package mutating func put(_ peer: PeerSelections, in committed: Text) {
        var peer = peer
        peer.selections.removeAll {
            !committed.isScalarBoundary($0.anchor) || !committed.isScalarBoundary($0.head)
        }
        if let index = peers.firstIndex(where: { $0.session == peer.session }) {
            peers[index] = peer
        } else {
            peers.append(peer)
        }
    }

    /// False where nobody is known by that session.
    package mutating func remove(_ session: WireString) -> Bool {
        guard let index = peers.firstIndex(where: { $0.session == session }) else { return false }
        peers.remove(at: index)
        return true
    }
}
