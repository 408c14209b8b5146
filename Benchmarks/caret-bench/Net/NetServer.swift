import CBareServer
import CSQLite
import CaretServer
import Dispatch
import Glibc

/// The servers that the benchmarks compare, each in its own process. Except `http`, they speak the lines that
/// `CBareServer.h` describes.
enum NetServer: String {
    /// A server in C, with epoll and writev.
    case bare
    /// The leanest server in C that still syncs: one thread, and one row for each push.
    case lean
    /// The server's loop and connections. The loop itself sends each push to the other members of the
    /// document.
    case loop
    /// Like `loop`, but each push goes through the queue of its document, as in a room.
    case queue
    /// A server in C that answers requests for one document over HTTP.
    case http

    /// The servers that speak lines.
    static let ofLines = [NetServer.bare, .loop, .queue]

    /// Prints the port, and serves until standard input ends. `words` has the server's name and, for the
    /// servers in C, the path of a database to create.
    static func serve(as words: [String]) async {
        guard let kind = NetServer(rawValue: words[0]) else {
            preconditionFailure("there is no kind of server called \(words[0])")
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
            let (listener, port) = listeningSocket()
            DispatchQueue(label: "bare").async { caret_bare_serve(listener, database) }
            return port
        case .lean:
            guard let database else { preconditionFailure("the lean server needs a database") }
            NetServer.makeTables(database)
            let (listener, port) = listeningSocket()
            DispatchQueue(label: "lean").async { caret_lean_serve(listener, database) }
            return port
        case .http:
            let (listener, port) = listeningSocket()
            DispatchQueue(label: "bare").async { BareDocument.serve(on: listener) }
            return port
        case .loop, .queue:
            let rooms = BenchRooms(asQueues: self == .queue)
            do {
                let loop = try Loop(LoopNumber(0))
                let address = SocketAddress.ip4(0x7F00_0001, port: 0)
                let listener = try await Listener.listen(at: address, spreadOver: [loop]) {
                    LineHandler($0, rooms, loop)
                }
                return listener.address.port ?? 0
            } catch {
                preconditionFailure("the server cannot start: \(error)")
            }
        }
    }

    /// Makes the tables that `CBareServer.h` describes.
    private static func makeTables(_ path: String) {
        var database: OpaquePointer?
        let sql = """
            PRAGMA journal_mode = WAL;
            CREATE TABLE segment (id INTEGER PRIMARY KEY, document, first, last, time, before, after, body);
            CREATE UNIQUE INDEX segment_place ON segment (document, first);
            CREATE TABLE push (id INTEGER PRIMARY KEY, document, client, line);
            CREATE TABLE document (id INTEGER PRIMARY KEY, head, utf8, utf16, scalars, updated, chain);
            CREATE TABLE pusher (document, author, seq, revision, used, sum, digest,
                PRIMARY KEY (document, author)) WITHOUT ROWID;
            """
        guard sqlite3_open(path, &database) == SQLITE_OK,
            sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
        else { preconditionFailure("SQLite could not create \(path)") }
        sqlite3_close(database)
    }
}
