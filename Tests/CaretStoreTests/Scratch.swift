import CaretStore
import Foundation
import Synchronization

/// A temporary folder for one test, which must remove it.
struct Scratch {
    let path: String

    init(in base: URL = FileManager.default.temporaryDirectory) throws {
        let folder = base.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    /// A folder in memory, if the system has a file system for that. Use it in tests that do not need real
    /// syncs, because real syncs are slow.
    static func inMemory() throws -> Scratch {
        let memory = URL(filePath: "/dev/shm")
        let hasMemory = FileManager.default.isWritableFile(atPath: memory.path)
        return try hasMemory ? Scratch(in: memory) : Scratch()
    }

    func remove() {
        // Ignore an error: a folder that cannot be removed does no harm in the temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }

    var databasePath: String { path + "/caret.sqlite" }

    func databaseBytes() throws -> Data { try Data(contentsOf: URL(filePath: databasePath)) }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(filePath: databasePath)) }

    /// The bytes of all files except two: the lock, and the index of the log, which SQLite always recreates.
    func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { !$0.hasSuffix("-shm") && $0 != "caret.lock" }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: URL(filePath: "\(path)/\($0)"))) }
        )
    }

    /// The first result of a query. A store may have the database open.
    func number(_ sql: String) throws -> Int64 {
        let database = try Database(path: databasePath, for: .read)
        return try database.first(sql) { $0.integer(0) } ?? 0
    }

    /// The complete backups that a store writer has made here.
    func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("backup-") && !$0.contains(".partial") }.map { "\(path)/\($0)" }
    }

    /// The number that SQLite increments in the log's header whenever it restarts the log.
    func logBegun() throws -> UInt32 {
        let header = try Data(contentsOf: URL(filePath: databasePath + "-wal")).prefix(16)
        return header.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func count(_ table: String) throws -> Int64 { try number("SELECT count(*) FROM \(table)") }
}

/// A counter for any thread.
final class ThreadSafeCounter: Sendable {
    private let counted = Mutex(0)

    func add() { counted.withLock { $0 += 1 } }

    var count: Int { counted.withLock { $0 } }
}
