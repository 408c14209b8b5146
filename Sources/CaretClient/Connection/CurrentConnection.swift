import CaretReplica
import CaretWire
@preconcurrency import Dispatch

/// The current connection of a client, if there is one. Confined to the client's queue.
final class CurrentConnection {
    private let queue: DispatchQueue
    private var connection: LineConnection?
    /// How long `connection` may take to connect.
    private var timeout: Milliseconds = 0
    private var number = 0

    init(_ queue: DispatchQueue) { self.queue = queue }

    /// Replaces the connection by a new one, and returns the number of the new connection. The new connection
    /// starts when `resolved` is called with the addresses. `handler` is called on the queue, and never after
    /// `disconnect`.
    func prepare(
        within timeout: Milliseconds, _ handler: @escaping (LineConnection.Event) -> Void
    ) -> Int {
        disconnect()
        connection = LineConnection(queue, handler)
        self.timeout = timeout
        number += 1
        return number
    }

    /// Passes the resolved server to the connection with this number, unless that connection was replaced.
    func resolved(_ server: Result<ResolvedServer, ResolvingFault>, for number: Int) {
        guard number == self.number else { return }
        switch server {
        case .success(let server): connection?.connect(to: server, within: timeout)
        case .failure(let fault): connection?.fail(fault)
        }
    }

    func disconnect() {
        connection?.close()
        connection = nil
    }

    func send(_ message: ClientMessage, id: RequestID?) { connection?.send(message, id: id) }

    func setLimits(_ limits: Limits.Announced) { connection?.setLimits(limits) }
}
