/// Names a socket on every queue: the loop it belongs to for life, and its place there.
package struct SocketID: Hashable, Sendable {
    package let loop: LoopNumber
    package let slot: SlotID
}

/// Why a connection ended.
package enum CloseReason: Equatable, Sendable {
    /// It was told to close.
    case ordered
    /// The other side reset it or is gone for good, or the network gave it up.
    case gone(SystemFault)
    /// Its loop stopped.
    case stopped
}

/// What stands behind a connection and decides. Called on the connection's loop, and never from inside an order that
/// it gives to a connection; after `closed` it is let go.
package protocol ConnectionHandler: AnyObject {
    /// Bytes came. They are there only during the call.
    ///
    /// Answers how many it took. The rest is kept, and nothing more is read, until reading is resumed; then it comes
    /// again, before what is new.
    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int

    /// The other side sends nothing more; it may still read.
    func inputEnded(on connection: any ConnectionPort)

    /// The system took so many bytes of what was sent.
    func wrote(_ bytes: Int, on connection: any ConnectionPort)

    /// The connection's deadline has passed; it has none now.
    func deadlinePassed(on connection: any ConnectionPort)

    /// The connection is over. Comes exactly once, last, whoever ended it.
    func closed(_ reason: CloseReason, on connection: any ConnectionPort)
}
