/// A listening socket that distributes its connections over the loops. Its state is in an `Acceptor` on the
/// first loop.
package final class Listener: Sendable {
    /// The address that it listens on. If port 0 was requested, this is the port that the system chose.
    package let address: SocketAddress
    private let loop: Loop
    private let slot: SlotID

    private init(at address: SocketAddress, on loop: Loop, _ slot: SlotID) {
        self.address = address
        self.loop = loop
        self.slot = slot
    }

    /// Starts listening. `make` is called on the loop of each new connection.
    package static func listen(
        at address: SocketAddress, spreadOver loops: [Loop], _ make: @escaping HandlerMaker
    ) async throws(ListenFault) -> Listener {
        precondition(!loops.isEmpty, "a listener needs a loop")
        let socket = try ListeningSocket(at: address)
        let added = await loops[0].result { sockets in
            Result { () throws(SystemFault) in
                try sockets.addAcceptor { Acceptor($0, socket, on: sockets, for: loops, make) }
            }
        }
        switch added {
        case .success(let slot): return Listener(at: socket.address, on: loops[0], slot)
        case .failure(let fault):
            socket.close()
            throw .system(fault)
        case nil:
            socket.close()
            throw .stopped
        }
    }

    /// Stops accepting. Existing connections stay. If the loop has stopped, the socket is closed already.
    package func close() async {
        let slot = slot
        _ = await loop.result { $0.closeAcceptor(slot) }
    }
}
