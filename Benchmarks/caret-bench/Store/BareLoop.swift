import CSQLite
import Glibc

/// A loop that only appends, to compare the store with it. It runs the store's statements with precomputed
/// values, through SQLite's C interface, on a database that the store has made.
///
/// SQLite's default file system layer reads and writes the file. SQLite also makes the checkpoints: the
/// connection that writes makes one when the log reaches a thousand pages.
struct BareLoop: ~Copyable {
    private let connection: OpaquePointer
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let segment: OpaquePointer
    private let pusher: OpaquePointer
    private let document: OpaquePointer
    private let counter: OpaquePointer
    private let hash = BareLoop.kept([UInt8](repeating: 0x5A, count: 32))
    private let body: UnsafeBufferPointer<UInt8>
    private var heads: [Int64]
    private var next = 0
    private var commits: Int64 = 1
    /// A number as large as the checksums that the store writes into its rows.
    private static let sum: Int64 = 0x1E37_79B9_7F4A_7C15

    /// Opens a database with `documents` documents, numbered from 1, each with one author and one revision.
    /// `body` is a segment as the store writes it.
    init(path: String, documents: Int, body: [UInt8]) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            preconditionFailure("SQLite could not open \(path)")
        }
        connection = opened
        self.body = BareLoop.kept(body)
        heads = [Int64](repeating: 1, count: documents)
        let pragmas = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;
            PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192;
            PRAGMA wal_autocheckpoint = 1000;
            """
        guard sqlite3_exec(opened, pragmas, nil, nil, nil) == SQLITE_OK else {
            preconditionFailure("SQLite refused a pragma")
        }
        begin = prepared("BEGIN IMMEDIATE", opened)
        commit = prepared("COMMIT", opened)
        segment = prepared(
            "INSERT INTO segment (document, first, last, time, body, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)",
            opened)
        pusher = prepared(
            """
            INSERT INTO pusher (document, author, seq, revision, digest, used, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (document, author) DO UPDATE SET seq = excluded.seq, revision = excluded.revision,
            digest = excluded.digest, used = excluded.used, sum = excluded.sum
            """, opened)
        document = prepared(
            """
            UPDATE document SET head = ?, utf8 = ?, utf16 = ?, scalars = ?, updated = ?, line_break = ?, chain = ?,
            loose = ?, behind = ?, sum = ? WHERE id = ?
            """, opened)
        counter = prepared("UPDATE store SET commits = ?", opened)
    }

    deinit {
        for statement in [begin, commit, segment, pusher, document, counter] { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
        hash.deallocate()
        body.deallocate()
    }

    /// Commits a group of appends. Each append is one change, and each goes to the next document in turn.
    mutating func commit(_ appends: Int) {
        run(begin)
        for _ in 0..<appends {
            append(to: next)
            next = (next + 1) % heads.count
        }
        commits += 1
        sqlite3_bind_int64(counter, 1, commits)
        run(counter)
        run(commit)
    }

    private mutating func append(to index: Int) {
        let (id, head) = (Int64(index + 1), heads[index] + 1)
        let time = 1_790_000_000_000 + head
        heads[index] = head
        sqlite3_bind_int64(segment, 1, id)
        sqlite3_bind_int64(segment, 2, head)
        sqlite3_bind_int64(segment, 3, head)
        sqlite3_bind_int64(segment, 4, time)
        bind(body, 5, segment)
        bind(hash, 6, segment)
        bind(hash, 7, segment)
        run(segment)
        sqlite3_bind_int64(pusher, 1, id)
        sqlite3_bind_int64(pusher, 2, id)
        sqlite3_bind_int64(pusher, 3, head)
        sqlite3_bind_int64(pusher, 4, head)
        bind(hash, 5, pusher)
        sqlite3_bind_int64(pusher, 6, time)
        sqlite3_bind_int64(pusher, 7, BareLoop.sum &* head)
        run(pusher)
        sqlite3_bind_int64(document, 1, head)
        sqlite3_bind_int64(document, 2, head)
        sqlite3_bind_int64(document, 3, head)
        sqlite3_bind_int64(document, 4, head)
        sqlite3_bind_int64(document, 5, time)
        sqlite3_bind_int64(document, 6, 0)
        bind(hash, 7, document)
        sqlite3_bind_int64(document, 8, head)
        sqlite3_bind_int64(document, 9, 65 * head)
        sqlite3_bind_int64(document, 10, BareLoop.sum &* head)
        sqlite3_bind_int64(document, 11, id)
        run(document)
    }

    private static func kept(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = kept.initialize(from: bytes)
        return UnsafeBufferPointer(kept)
    }

    /// Binds without a copy: SQLite reads the bytes in place.
    private func bind(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int32, _ statement: OpaquePointer) {
        sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    private func run(_ statement: OpaquePointer) {
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE, sqlite3_reset(statement) == SQLITE_OK else {
            preconditionFailure("SQLite answered \(code): \(String(cString: sqlite3_errmsg(connection)))")
        }
    }
}

private func prepared(_ sql: String, _ connection: OpaquePointer) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { preconditionFailure("SQLite rejected: \(sql)") }
    return statement
}
