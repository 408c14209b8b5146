import CBareServer
import CSQLite
import CaretServer
import CaretWire
import Dispatch
import Glibc
import Synchronization

/// What `caret-bench net` measures, as a process of its own: a server of shared lines, by one of several ways. They
/// all speak what `CBareServer.h` says.
enum NetServer: String, CaseIterable {
    /// C, epoll and writev.
    case bare
    /// The server's loop and connections; a push is handed on by the loop itself.
    case loop
    /// The same, and a push goes through a queue of its document, as it does through a room.
    case queue

    /// Says the port, and serves until its input ends. The words are the server's name and, for the bare one, the path
    /// of the database that it makes.
    static func serve(as words: [String]) async {
        guard let kind = NetServer(rawValue: words[0]) else {
            preconditionFailure("no server is called \(words[0])")
        }
        signal(SIGPIPE, SIG_IGN)
        print(await kind.begin(words.dropFirst().first))
        fflush(nil)
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        exit(0)
    }

    private func begin(_ database: String?) async -> UInt16 {
        switch self {
        case .bare:
            if let database { NetServer.makeTables(database) }
            let (listener, port) = NetServer.listening()
            DispatchQueue(label: "bare").async { caret_bare_serve(listener, database) }
            return port
        case .loop, .queue:
            let rooms = BenchRooms(asQueues: self == .queue)
            do {
                let loop = try Loop(LoopNumber(0))
                let address = SocketAddress.ip4(0x7F00_0001, port: 0)
                let listener = try await Listener.listening(at: address, spreadOver: [loop]) {
                    LineHandler($0, rooms, loop)
                }
                return listener.address.port ?? 0
            } catch {
                preconditionFailure("the server does not begin: \(error)")
            }
        }
    }

    /// As `CBareServer.h` has them.
    private static func makeTables(_ path: String) {
        var database: OpaquePointer?
        let sql = """
            PRAGMA journal_mode = WAL;
            CREATE TABLE segment (id INTEGER PRIMARY KEY, document, first, last, time, before, after, body);
            CREATE UNIQUE INDEX segment_place ON segment (document, first);
            CREATE TABLE document (id INTEGER PRIMARY KEY, head, utf8, utf16, scalars, updated, chain);
            CREATE TABLE pusher (document, author, seq, revision, used, sum, digest,
                PRIMARY KEY (document, author)) WITHOUT ROWID;
            """
        guard sqlite3_open(path, &database) == SQLITE_OK,
            sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
        else { preconditionFailure("SQLite did not make \(path)") }
        sqlite3_close(database)
    }

    /// A socket of this machine that listens at a port that the system chose.
    private static func listening() -> (descriptor: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var (isOn, address) = (Int32(1), sockaddr_in())
        setsockopt(listener, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, SOMAXCONN) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        precondition(isListening, "nothing listens: \(errno)")
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// Who is in which document.
final class BenchRooms: Sendable {
    /// Of one document, with the queue that a push goes through.
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

/// A connection of the server of lines.
final class LineHandler: ConnectionHandler {
    private let rooms: BenchRooms
    private let loop: Loop
    private unowned let sockets: Sockets
    private var framer = LineFramer(limit: 1 << 20)
    private var document: Int?

    init(_ connection: Connection, _ rooms: BenchRooms, _ loop: Loop) {
        self.rooms = rooms
        self.loop = loop
        sockets = connection.sockets
    }

    private static let joined = Payload(Array("J\n".utf8))
    private static let written = Payload(Array("A\n".utf8))

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Int {
        var input = bytes
        while case .line = framer.next(of: &input, { take($0, connection) }) {}
        return bytes.count
    }

    private func take(_ line: UnsafeRawBufferPointer, _ connection: Connection) {
        switch line[0] {
        case UInt8(ascii: "E"): connection.send(LineHandler.payload(line))
        case UInt8(ascii: "J"):
            let number = Int(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 0
            document = number
            rooms.join(number, connection.id)
            connection.send(LineHandler.joined)
        case UInt8(ascii: "P"):
            if let document, let room = rooms[document] {
                push(LineHandler.payload(line), connection.id, room)
            }
        default: return
        }
    }

    private func push(_ payload: Payload, _ pusher: SocketID, _ room: BenchRooms.Room) {
        guard let queue = room.queue else {
            return LineHandler.handOn(payload, from: pusher, to: room.members, sockets)
        }
        let loop = loop
        queue.async {
            loop.post { LineHandler.handOn(payload, from: pusher, to: room.members, $0) }
        }
    }

    private static func handOn(
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

    func inputEnded(on connection: Connection) { connection.close() }

    func wrote(_ bytes: Int, on connection: Connection) {}

    func deadlinePassed(on connection: Connection) {}

    func closed(_ reason: CloseReason, on connection: Connection) {
        if let document { rooms.leave(document, connection.id) }
    }
}
