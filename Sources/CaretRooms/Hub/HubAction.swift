package import CaretCore
package import CaretLog

/// Which call of the hub to the store.
package struct CallID: Hashable, Comparable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }

    package static func < (left: CallID, right: CallID) -> Bool { left.value < right.value }
}

/// What the hub asks of the store; each but what administrators want is a method of it.
package enum StoreCall: Equatable, Sendable {
    case find(DocumentName)
    case create(DocumentName, at: Int64)
    case text(DocumentID, at: Revision?)
    case read(DocumentID, after: Revision, limit: Int)
    case list(prefix: ByteString, after: ByteString?, limit: Int)
    case entries([DocumentID])
    case rename(DocumentID, to: DocumentName)
    case delete(DocumentID, at: Int64)
    case tokens(TokenCall)
    case admin(AdminCall)
}

/// What the store answers to a call of the same name.
package enum StoreAnswer: Equatable, Sendable {
    case found(Result<DocumentEntry, StoreRefusal>)
    case created(Creation)
    case text(Result<Snapshot, HistoryRefusal>)
    case read(Result<Reading, HistoryRefusal>)
    case listed(Result<Listing, StoreRefusal>)
    case entries([Result<DocumentEntry, StoreRefusal>])
    case renamed(Renaming)
    /// Nil where it was deleted.
    case deleted(StoreRefusal?)
    case tokens(TokenAnswer)
    case admin(AdminCallAnswer)
}

/// What the hub wants done. Whoever runs it answers with the event that each names.
package enum HubAction: Equatable, Sendable {
    /// To a connection that has joined, or wants to.
    case tell(ConnectionID, ConnectionNews)
    /// Answered by `answered`.
    case call(CallID, StoreCall)
    /// A room is to be made of a document and its text; what it is told comes behind this.
    case makeRoom(DocumentEntry, Snapshot)
    /// To a room that was made and not dropped. A rename is answered by `renamed`, a deletion by `deleted`, a `leave` by
    /// `ended`, an `awaitPushes` by `pushesSettled`, once the room has done them.
    case tellRoom(DocumentID, RoomEvent)
    /// The room is to be dropped if it is idle. Answered by `dropped` or, where it is not, by `kept`.
    case dropRoom(DocumentID)
    /// From now on the commits of all rooms are to be told by `changed`, or are not.
    case watchCommits(Bool)
    /// Answered by `timePassed`, once it is that late.
    case wake(at: Int64)
    /// After `shutDown`: the last connection has left, and all that rooms were asked is answered.
    case finish
}
