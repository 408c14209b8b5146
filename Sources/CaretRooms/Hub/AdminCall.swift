package import CaretCore
package import CaretLog
package import CaretWire

/// What the hub asks for an administrator, of the store and of whoever runs the server.
package enum AdminCall: Equatable, Sendable {
    case counters
    case deleted(prefix: ByteString, after: DocumentID?, limit: Int)
    case undelete(DocumentID)
    case trim(DocumentID, through: Revision)
    /// It may take long. What it has done so far is told by `progressed`, now and then.
    case verify(DocumentID?)
    /// As long.
    case backUp(at: Int64)
}

/// What a call of the same name is answered with.
package enum AdminCallAnswer: Equatable, Sendable {
    case counted(Counted)
    case deleted(Result<Listing, StoreRefusal>)
    case undeleted(Undeletion)
    case trimmed(Trimming)
    case verified(Result<Verified, StoreRefusal>)
    case backedUp(Result<BackedUp, StoreRefusal>)
}
