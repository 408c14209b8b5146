package import CaretCore
package import CaretWire

/// What the owner of a replica must do. Actions must be run in the order in which they are returned.
package enum ReplicaAction: Equatable, Sendable {
    /// Open the document. With a position, the server sends the changes after it. Without a position, the
    /// server sends the whole text.
    case open(from: WirePosition?, as: DocumentMode)
    /// Close the document on the server, if it is open there. Ignore the server's answer.
    case close
    case push(SentPush)
    case select(at: Revision, [Selection])
    /// Report that the text at this revision differs from the server's text.
    case reportDivergence(at: Revision)
    /// Call `timePassed` after this time. A later `retry` replaces an earlier one.
    case retry(after: Milliseconds)
    /// Apply this change to the view.
    case edit(Change)
    /// Show the peers' selections again, because `Replica.peers` has changed.
    case showPeers
    case show(SavingState)
    /// The document was renamed to this name.
    case rename(WireString)
}
