import CaretWire
@preconcurrency import Dispatch

/// The connection of a client, one after the other. Confined to the client's queue.
final class Network {
    private let queue: DispatchQueue
    private var connection: LineConnection?
    private var number = 0

    init(_ queue: DispatchQueue) { self.queue = queue }

    /// A new connection, whose number is the answer: it begins once it is known where the server is. `tell` is called
    /// on the queue, and not after `disconnect`.
    func prepare(_ tell: @escaping (LineConnection.Event) -> Void) -> Int {
        disconnect()
        connection = LineConnection(queue, tell)
        number += 1
        return number
    }

    /// Where the server is was found out for the connection of this number.
    func found(_ addresses: Result<[SystemAddress], ResolvingFault>, for number: Int) {
        guard number == self.number else { return }
        switch addresses {
        case .success(let addresses): connection?.connect(to: addresses)
        case .failure(let fault): connection?.fail(fault)
        }
    }

    func disconnect() {
        connection?.close()
        connection = nil
    }

    func send(_ message: ClientMessage, id: RequestID?) { connection?.send(message, id: id) }

    func keep(to limits: Limits.Announced) { connection?.keep(to: limits) }
}
