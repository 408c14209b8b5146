import CaretCore
import CaretWire

/// An open document as one client has received it, on one connection.
struct TrackedStream {
    /// The selections of a peer, mapped to the client's position.
    struct PeerView {
        var selections: [Selection]
        /// The number of this selection among all selections that the room received from the session.
        var taken: Int
    }

    let history: Ledger.History
    var position: Revision
    let squashes: Bool
    var peers: [WireString: PeerView] = [:]
    /// Whether a push of this session was refused with `not_found`. The server must then end the session.
    var mustEnd = false
}

/// A request without an answer so far.
struct PendingRequest {
    let message: ClientMessage
    /// Another message answers this request too, so the request needs no answer of its own.
    var isShared = false
    /// What the answer to a read request must show.
    var own: OwnPushes?
}
