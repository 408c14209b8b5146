/// Identifies a socket on every queue: the loop it belongs to for life, and its slot there.
package struct SocketID: Hashable, Sendable {
    package let loop: LoopNumber
    package let slot: SlotID
}

/// Why a connection ended.
package enum CloseReason: Equatable, Sendable {
    /// The handler closed it.
    case ordered
    /// The other side reset it or is gone for good, or the network gave up.
    case gone(SystemFault)
    /// Its loop stopped.
    case stopped
}

/// Decides what a connection does. Called on the connection's loop, but never while it is calling the
/// connection itself. Released after `closed`.
package protocol ConnectionHandler: AnyObject {
    /// Bytes have arrived. They are valid only during the call.
    ///
    /// Returns how many bytes it accepted. The rest is kept, and reading pauses until the handler resumes it.
    /// Then the rest comes again, before new bytes.
    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int

    /// The other side has stopped sending. It may still read.
    func inputEnded(on connection: any ConnectionPort)

    /// The system has accepted this many bytes of output.
    func wrote(_ bytes: Int, on connection: any ConnectionPort)

    /// The connection's deadline has passed. There is no deadline now.
    func deadlinePassed(on connection: any ConnectionPort)

    /// The connection has ended, for whatever reason. This is the last call, and comes exactly once.
    func closed(_ reason: CloseReason, on connection: any ConnectionPort)
}
