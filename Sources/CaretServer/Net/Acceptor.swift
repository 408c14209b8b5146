import CLinux
import Glibc

/// Makes the handler of a new connection.
package typealias HandlerMaker = @Sendable (Connection) -> any ConnectionHandler

/// A connected socket that no connection owns yet. Its receiver must close it.
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
    private enum Phase {
        case accepting
        /// The system has no free descriptor or memory, so no connection is accepted until the deadline.
        case paused
        case closed
    }

    let slot: SlotID
    private let socket: ListeningSocket
    private unowned let sockets: Sockets
    private let loops: [Loop]
    private let make: HandlerMaker
    private var next = 0
    private var phase = Phase.accepting
    /// A reserved descriptor. When all others are in use, the acceptor closes this one. Then it can accept a
    /// connection, send a refusal and close it.
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

    var descriptor: Int32 { socket.descriptor }

    func ready() {
        guard case .accepting = phase else { return }
        let bound = DescriptorBound.current(leaving: sockets.settings.descriptorsLeft)
        for _ in 0..<sockets.settings.acceptsATurn {
            guard let accepted = accept() else { return }
            // The system assigns the lowest free number, so a number at the bound means that few are left.
            if accepted.descriptor < bound { assign(accepted) } else { refuse(accepted.descriptor) }
        }
    }

    /// Accepts again after a pause.
    func resume() {
        guard case .paused = phase else { return }
        if spareDescriptor < 0 { spareDescriptor = Acceptor.openSpareDescriptor() }
        phase = .accepting
        sockets.watch(descriptor, as: slot, for: .input)
    }

    func close() {
        if case .closed = phase { return }
        phase = .closed
        if spareDescriptor >= 0 { Glibc.close(spareDescriptor) }
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

    /// All descriptors are in use. The system would report the waiting connection in every turn. So the
    /// acceptor refuses the connection, and the client learns the reason.
    private func refuseOne() {
        guard spareDescriptor >= 0 else { return pause() }
        Glibc.close(spareDescriptor)
        let refused = caret_accept(descriptor, nil, nil)
        if refused >= 0 { refuse(refused) }
        spareDescriptor = Acceptor.openSpareDescriptor()
        // If this fails, another thread has opened the descriptor that was just freed.
        if spareDescriptor < 0 { pause() }
    }

    /// Sends as much of the error line as the system accepts at once, and closes the connection.
    private func refuse(_ descriptor: Int32) {
        let line = sockets.settings.refusal
        if !line.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            _ = uninterrupted { Glibc.send(descriptor, line, line.count, flags) }
            shutdown(descriptor, Int32(SHUT_WR))
            // Closing with unread bytes would reset the connection, and the client might never read the error
            // line.
            _ = sockets.read(from: descriptor)
        }
        Glibc.close(descriptor)
        sockets.reportRefusal()
    }

    private func pause() {
        phase = .paused
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
