import Dispatch
import Glibc
import Synchronization

/// Many clients that send one byte a second, on a thread of their own. Each connects again when the server
/// disconnects it.
final class SlowSenders: Sendable {
    /// The beginning of a message that all clients send, but never complete.
    private let beginning: [UInt8]
    private let port: UInt16
    private let ending = DispatchSemaphore(value: 0)
    private let connected = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let disconnections = Atomic(0)

    /// Returns when all clients are connected.
    init(_ count: Int, of beginning: String, to port: UInt16) {
        (self.beginning, self.port) = (Array(beginning.utf8), port)
        DispatchQueue(label: "slow senders").async { [self] in run(count) }
        connected.wait()
    }

    /// How often the server has disconnected a client.
    var disconnected: Int { disconnections.load(ordering: .relaxed) }

    /// Disconnects all clients.
    func end() {
        ending.signal()
        ended.wait()
    }

    private struct Sender {
        var socket: Int32
        var sent = 0
    }

    private func run(_ count: Int) {
        var senders = (0..<count).map { _ in Sender(socket: caret_bench.connected(to: port)) }
        connected.signal()
        let step = 1e9 / Double(count)
        var (next, index) = (wallNanoseconds(), 0)
        // Until the end, or until the next byte is due.
        while ending.wait(timeout: .now() + .nanoseconds(Int(max(0, next - wallNanoseconds())))) == .timedOut
        {
            while next <= wallNanoseconds() {
                sendByte(&senders[index])
                index = (index + 1) % count
                next += step
            }
        }
        for sender in senders { close(sender.socket) }
        ended.signal()
    }

    private func sendByte(_ sender: inout Sender) {
        var answer: UInt8 = 0
        // Before it disconnects, the server may send the reason.
        let isConnected = recv(sender.socket, &answer, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
        if !isConnected {
            disconnections.add(1, ordering: .relaxed)
            close(sender.socket)
            sender = Sender(socket: caret_bench.connected(to: port))
        }
        var byte = beginning[min(sender.sent, beginning.count - 1)]
        // If this fails, the client notices the disconnection a second later.
        send(sender.socket, &byte, 1, Int32(MSG_NOSIGNAL))
        sender.sent += 1
    }
}
