public import CaretCore

/// What the owner of a replica is to do, in this order.
public enum Action: Equatable, Sendable {
    /// Open the document: from a place whose text the replica has, or as a whole.
    case open(from: Place?, as: Mode)
    /// Close the document, should it be open there; what the server answers to that means nothing here.
    case close
    case push(Push)
    case select(at: Revision, [Selection])
    /// Report that the text at this revision is not the server's.
    case reportDivergence(at: Revision)
    /// Call `timePassed` after this time; a later order takes the place of an earlier one.
    case retry(after: Milliseconds)
    /// Make this change in the view.
    case edit(Change)
    /// Show the peers' selections anew: `Replica.peers` has changed.
    case showPeers
    case show(SavingState)
    /// The document goes by this name from here on.
    case rename(DocumentName)
}

/// What a document is opened for.
public enum Mode: Equatable, Sendable {
    case edit
    /// Only to see it: nothing is pushed, and the server may join several revisions into one change.
    case watch
}

/// A change as it goes out to the server, and, word for word, each time it is sent again.
public struct Push: Equatable, Sendable {
    public let place: Place
    public let seq: Seq
    public let change: Change

    public init(place: Place, seq: Seq, change: Change) {
        self.place = place
        self.seq = seq
        self.change = change
    }
}

/// What a person is told about their text.
public enum SavingState: Equatable, Sendable {
    /// All of it is committed.
    case saved
    /// Some of it is on its way.
    case sending
    /// The text is not here yet. What is typed meanwhile is kept, and goes in front of it.
    case opening
    /// The text is here, and the document is not open on the server. What is typed is kept.
    case offline
    /// Some of it will not be saved as things are; it is kept.
    case refused(Refusal)
}
