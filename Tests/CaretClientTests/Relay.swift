import CaretClient
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A proxy to a server. It forwards bytes until a test cuts its connections; new connections work again.
final class Relay: Sendable {
    private let server: ServerAddress
    private let listener: Int32
    let address: ServerAddress
    private let sockets = Mutex<[Int32]>([])
    /// How many connections clients have made.
    private let made = Atomic<Int>(0)

    init(to server: ServerAddress) throws {
        self.server = server
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var here = Relay.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &here) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        if !isListening { throw ServerProcess.DidNotStart(said: "relay: \(errno)") }
        address = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: here.sin_port))
        Thread.detached { [weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0, let self else { return }
                join(socket)
            }
        }
    }

    deinit {
        cut()
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var connections: Int { made.load(ordering: .relaxed) }

    /// Ends all connections, and drops the bytes that were not forwarded yet.
    func cut() {
        sockets.withLock { sockets in
            for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            sockets = []
        }
    }

    private func join(_ client: Int32) {
        guard case .tcp(_, let port) = server else { return }
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var there = Relay.loopback(port: port)
        let isConnected = withUnsafePointer(to: &there) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        made.add(1, ordering: .relaxed)
        sockets.withLock { $0 += [client, upstream] }
        if !isConnected { cut() }
        // Both descriptors are closed after both directions have ended, so that no thread uses a descriptor
        // number that the system has reused.
        let group = DispatchGroup()
        for (from, to) in [(client, upstream), (upstream, client)] {
            group.enter()
            Thread.detached {
                Relay.pass(from: from, to: to)
                group.leave()
            }
        }
        group.notify(queue: .global()) { [weak self] in
            self?.sockets.withLock { $0.removeAll { $0 == client || $0 == upstream } }
            close(client)
            close(upstream)
        }
    }

    private static func pass(from: Int32, to: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = recv(from, &bytes, bytes.count, 0)
            if count <= 0 || send(to, bytes, count, Int32(MSG_NOSIGNAL)) != count { break }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

private enum Thread {
    /// Runs `body` on a thread of its own. The tests share only a few threads, and `body` blocks its thread
    /// all the time.
    static func detached(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "relay").async(execute: body)
    }
}
