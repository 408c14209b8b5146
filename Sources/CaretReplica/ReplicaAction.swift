package import CaretCore
package import CaretWire

/// What the owner of a replica is to do, in this order.
package enum Action: Equatable, Sendable {
    /// Open the document. With a position, the stream goes on from there; without one, the server sends the whole text.
    case open(from: WirePosition?, as: DocumentMode)
    /// Close the document, should it be open there. The server's answer to that means nothing here.
    case close
    case push(SentPush)
    case select(at: Revision, [Selection])
    /// Report that the text at this revision is not the server's.
    case reportDivergence(at: Revision)
    /// Call `timePassed` after this time. A later order replaces an earlier one.
    case retry(after: Milliseconds)
    /// Make this change in the view.
    case edit(Change)
    /// Show the peers' selections again: `Replica.peers` has changed.
    case showPeers
    case show(SavingState)
    /// The document has this name from now on.
    case rename(WireString)
}
