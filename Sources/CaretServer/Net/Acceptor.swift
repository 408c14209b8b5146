import CLinux
import Glibc

/// Makes the handler of a new connection.
package typealias HandlerMaker = @Sendable (Connection) -> any ConnectionHandler

/// A connected socket that no connection owns yet. The code that receives this value must close the socket.
package struct AcceptedSocket: Sendable {
    let descriptor: Int32
    let peer: SocketAddress

    /// The descriptor must be nonblocking.
    package init(_ descriptor: Int32, peer: SocketAddress) {
        self.descriptor = descriptor
        self.peer = peer
    }
}

/// Accepts connections, and gives them to the loops in rotation. Confined to its loop.
final class Acceptor {
    let slot: SlotID
    private let socket: ListeningSocket
    private unowned let sockets: Sockets
    private let loops: [Loop]
    private let make: HandlerMaker
    private var next = 0
    /// A reserved descriptor. When all other descriptors are in use, the acceptor closes the reserved one.
    /// Then it can accept a connection, send a refusal, and close the connection. Negative while the system
    /// has no descriptor to reserve.
    private var spareDescriptor: Int32

    init(
        _ slot: SlotID, _ socket: ListeningSocket, on sockets: Sockets, for loops: [Loop],
        _ make: @escaping HandlerMaker
    ) {
        self.slot = slot
        self.socket = socket
        self.sockets = sockets
        self.loops = loops
        self.make = make
        spareDescriptor = Acceptor.openSpareDescriptor()
    }

    deinit { Glibc.close(spareDescriptor) }

    var descriptor: Int32 { socket.descriptor }

    func ready() {
        let bound = DescriptorBound.current(leaving: sockets.settings.descriptorsLeft)
        for _ in 0..<sockets.settings.acceptsATurn {
            guard let accepted = accept() else { return }
            // The system assigns the lowest free descriptor. So if the descriptor is not below the bound, few
            // descriptors are left.
            if accepted.descriptor < bound { assign(accepted) } else { refuse(accepted.descriptor) }
        }
    }

    /// Accepts again after a pause.
    func resume() { sockets.watch(descriptor, as: slot, for: .input) }

    /// Stops accepting. Call it once.
    func close() {
        sockets.remove(self)
        socket.close()
    }

    private func accept() -> AcceptedSocket? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout.size(ofValue: storage))
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let accepted = uninterrupted { caret_accept(descriptor, address, &size) }
                if accepted < 0 {
                    acceptFailed(errno)
                    return nil
                }
                return AcceptedSocket(accepted, peer: SocketAddress(address) ?? .unix(path: ""))
            }
        }
    }

    private func acceptFailed(_ code: Int32) {
        switch code {
        case EAGAIN, EWOULDBLOCK: return
        case EMFILE, ENFILE: refuseOne()
        case ENOBUFS, ENOMEM: pause()
        // The connection failed before it was accepted. The next one is accepted in the next turn.
        default: return
        }
    }

    /// Refuses one connection, because all descriptors are in use. If the connection kept waiting, the system
    /// would report it in every turn. The refusal also tells the client the reason.
    private func refuseOne() {
        Glibc.close(spareDescriptor)
        let refused = caret_accept(descriptor, nil, nil)
        if refused >= 0 { refuse(refused) }
        spareDescriptor = Acceptor.openSpareDescriptor()
        // If no descriptor can be reserved, another thread has taken the one that was just freed.
        if spareDescriptor < 0 { pause() }
    }

    /// Sends as much of the error line as the system accepts at once, and closes the connection.
    private func refuse(_ descriptor: Int32) {
        let line = sockets.settings.refusal
        if !line.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            _ = uninterrupted { Glibc.send(descriptor, line, line.count, flags) }
            shutdown(descriptor, Int32(SHUT_WR))
            // If the socket had unread bytes, closing it would reset the connection, and the client might
            // never read the error line. So unread bytes are read first.
            _ = sockets.read(from: descriptor)
        }
        Glibc.close(descriptor)
        sockets.reportRefusal()
    }

    /// Accepts no connection until the deadline, because the system has no free descriptor or memory.
    private func pause() {
        sockets.watch(descriptor, as: slot, for: [])
        sockets.setDeadline(
            sockets.now.after(milliseconds: sockets.settings.acceptPauseMilliseconds), of: slot)
    }

    private func assign(_ accepted: AcceptedSocket) {
        let loop = loops[next % loops.count]
        next += 1
        if loop.number == sockets.number {
            sockets.adopt(accepted, make)
            return
        }
        let make = make
        let isPosted = loop.post { $0.adopt(accepted, make) }
        if !isPosted { Glibc.close(accepted.descriptor) }
    }

    private static func openSpareDescriptor() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
