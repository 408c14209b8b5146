import CaretCore
import CaretWire

/// An open document as one client has received it, on one connection.
struct StreamCheck {
    /// The selections of a peer, moved to the position.
    struct PeerView {
        var selections: [Selection]
        /// Which of the session's selections this is, in the order in which its room received them.
        var taken: Int
    }

    let history: Ledger.History
    var position: Revision
    let squashes: Bool
    var peers: [WireString: PeerView] = [:]
}

/// A request without an answer so far.
struct Awaited {
    let message: ClientMessage
    /// The same push was sent again. One answer is enough for both copies.
    var isShared = false
    /// What the answer to a read request must show.
    var own: OwnPushes?
}
