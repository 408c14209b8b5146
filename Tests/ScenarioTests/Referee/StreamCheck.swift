import CaretCore
import CaretWire

/// An open document as a client has been told of it, on one connection.
struct StreamCheck {
    /// What others have selected, as it is at the position.
    struct PeerView {
        var selections: [Selection]
        /// Which of the session's selections it is, as its room took them.
        var taken: Int
    }

    let history: Ledger.History
    var position: Revision
    let squashes: Bool
    var peers: [WireString: PeerView] = [:]
}

/// A request that was not answered yet.
struct Awaited {
    let message: ClientMessage
    /// The same push was sent once more and answered: one answer does for both.
    var isShared = false
    /// What a reading must show.
    var own: OwnPushes?
}
