package import CaretCore
package import CaretLog
package import CaretWire

/// The hub's calls for an administrator's requests. The store or the hub's runner answers these calls.
package enum AdminCall: Equatable, Sendable {
    case counters
    /// `load` is that of this server.
    case nodes(NodeLoad)
    case deleted(prefix: ByteString, after: DocumentID?, limit: Int)
    case undelete(DocumentID)
    case trim(DocumentID, through: Revision)
    /// May take long. `progressed` reports its progress now and then.
    case verify(DocumentID?)
    /// May take long. `progressed` reports its progress now and then.
    case backUp(at: Int64)
}

/// The answer to the call of the same name.
package enum AdminCallAnswer: Equatable, Sendable {
    case counted(CounterValues)
    case nodes(Result<ServerList, StoreRefusal>)
    case deleted(Result<Listing, StoreRefusal>)
    case undeleted(UndeleteResult)
    case trimmed(TrimResult)
    case verified(Result<Verified, StoreRefusal>)
    case backedUp(Result<BackedUp, StoreRefusal>)
}
