package import CaretLog
package import CaretWire

/// What the hub asks of its server for an administrator's request.
package enum AdminCall: Equatable, Sendable {
    case counters
    /// `load` is that of this server.
    case nodes(NodeLoad)
    /// May take long. `progressed` reports its progress now and then.
    case verify(DocumentID?)
    /// May take long. `progressed` reports its progress now and then.
    case backUp(at: Int64)
}

/// The answer to the call of the same name.
package enum AdminCallAnswer: Equatable, Sendable {
    case counted(CounterValues)
    case nodes(Result<ServerList, StoreRefusal>)
    case verified(Result<Verified, StoreRefusal>)
    case backedUp(Result<BackedUp, StoreRefusal>)
}
