import CaretRooms
import CaretServer
import CaretWire
import Dispatch
import Synchronization

/// The members of each document.
final class BenchRooms: Sendable {
    /// The members of one document, and the queue that runs its pushes.
    struct Room: Sendable {
        var members: [SocketID] = []
        let queue: DispatchQueue?
    }

    private let asQueues: Bool
    private let rooms = Mutex<[Int: Room]>([:])

    init(asQueues: Bool) { self.asQueues = asQueues }

    func join(_ document: Int, _ member: SocketID) {
        rooms.withLock {
            $0[document, default: Room(queue: asQueues ? DispatchQueue(label: "room") : nil)]
                .members.append(member)
        }
    }

    func leave(_ document: Int, _ member: SocketID) {
        rooms.withLock { $0[document]?.members.removeAll { $0 == member } }
    }

    subscript(document: Int) -> Room? { rooms.withLock { $0[document] } }
}

/// A connection of the line server.
final class LineHandler: ConnectionHandler {
    private let rooms: BenchRooms
    private let loop: Loop
    private unowned let sockets: Sockets
    private let id: SocketID
    private var framer = LineFramer(limit: 1 << 20)
    private var document: Int?

    init(_ connection: Connection, _ rooms: BenchRooms, _ loop: Loop) {
        self.rooms = rooms
        self.loop = loop
        sockets = connection.sockets
        id = connection.id
    }

    private static let joined = Payload(Array("J\n".utf8))
    private static let written = Payload(Array("A\n".utf8))

    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        var input = bytes
        while case .line = framer.next(of: &input, { take($0, connection) }) {}
        return bytes.count
    }

    private func take(_ line: UnsafeRawBufferPointer, _ connection: any ConnectionPort) {
        switch line[0] {
        case UInt8(ascii: "E"): connection.send(LineHandler.payload(line))
        case UInt8(ascii: "J"):
            let number = Int(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 0
            document = number
            rooms.join(number, id)
            connection.send(LineHandler.joined)
        case UInt8(ascii: "P"):
            if let document, let room = rooms[document] {
                push(LineHandler.payload(line), id, room)
            }
        default: return
        }
    }

    private func push(_ payload: Payload, _ pusher: SocketID, _ room: BenchRooms.Room) {
        guard let queue = room.queue else {
            return LineHandler.dispatch(payload, from: pusher, to: room.members, sockets)
        }
        let loop = loop
        queue.async {
            loop.post { LineHandler.dispatch(payload, from: pusher, to: room.members, $0) }
        }
    }

    private static func dispatch(
        _ payload: Payload, from pusher: SocketID, to members: [SocketID], _ sockets: Sockets
    ) {
        sockets[pusher]?.send(written)
        for member in members where member != pusher { sockets[member]?.send(payload) }
    }

    private static func payload(_ line: UnsafeRawBufferPointer) -> Payload {
        Payload(byteCount: line.count + 1) {
            $0.copyMemory(from: line)
            $0[line.count] = UInt8(ascii: "\n")
        }
    }

    func inputEnded(on connection: any ConnectionPort) { connection.close() }

    func wrote(_ bytes: Int, on connection: any ConnectionPort) {}

    func deadlinePassed(on connection: any ConnectionPort) {}

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) {
        if let document { rooms.leave(document, id) }
    }
}
