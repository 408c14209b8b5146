package import CaretReplica

/// Carries bytes between a client and its server. Confined to the client's queue.
package protocol Transport: AnyObject {
    /// Called on the queue. Never called after `close`.
    var handler: (TransportEvent) -> Void { get set }
    /// How many bytes of output the system has not accepted yet.
    var unsentBytes: Int { get }

    /// Connects to the server. Bytes that were sent before are sent as soon as there is a connection.
    func connect(to server: ResolvedServer, within timeout: Milliseconds)
    func send(_ bytes: [UInt8])
    /// Ends the connection without an event.
    func close()
}

package enum TransportEvent {
    case connected
    /// The bytes can be used only while the handler runs.
    case received(UnsafeRawBufferPointer)
    /// The connection has ended, or could not be made. This is the last event.
    case disconnected(DisconnectReason)
}

#if canImport(Network)
    typealias ServerTransport = NetworkTransport
#else
    typealias ServerTransport = SocketTransport
#endif
