package import CaretTLS

/// Identifies a socket on all threads: the loop that the socket always belongs to, and its slot in that loop.
package struct SocketID: Hashable, Sendable {
    package let loop: LoopNumber
    package let slot: SlotID
}

/// Why a connection ended.
package enum CloseReason: Equatable, Sendable {
    /// The handler closed it.
    case closedByHandler
    /// The peer reset or left the connection, or the network failed.
    case lost(SystemFault)
    /// The TLS session failed.
    case tlsFailed(TLSFault)
    /// Its loop stopped.
    case loopStopped
}

/// Decides what a connection does. It is called on the connection's loop, and never from inside one of its
/// own calls to the connection. It is released after `closed`.
package protocol ConnectionHandler: AnyObject {
    /// Handles bytes that have arrived. The bytes are valid only during the call.
    ///
    /// Returns how many bytes the handler accepted. If it accepts fewer, the connection keeps the rest and
    /// pauses reading. After the handler resumes reading, it gets the rest before new bytes. If the handler
    /// has called `startTLS`, the rest belongs to TLS, and reading continues.
    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int

    /// The peer has stopped sending. It may still read.
    func inputEnded(on connection: any ConnectionPort)

    /// The system has accepted this many bytes of output.
    func wrote(_ bytes: Int, on connection: any ConnectionPort)

    /// The connection's deadline has passed. The connection has no deadline now.
    func deadlinePassed(on connection: any ConnectionPort)

    /// The connection has ended, for any reason. This is the last call, and is made exactly once.
    func closed(_ reason: CloseReason, on connection: any ConnectionPort)
}
