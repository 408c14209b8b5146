import CaretStore
import Foundation
import Synchronization

/// A folder of its own for one test, which removes it at its end.
struct Scratch {
    let path: String

    init(in base: URL = FileManager.default.temporaryDirectory) throws {
        let folder = base.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    /// In memory where the system has a folder for that: for tests that decide by themselves what a disk keeps, and
    /// would only wait for its syncs.
    static func inMemory() throws -> Scratch {
        let memory = URL(filePath: "/dev/shm")
        let hasMemory = FileManager.default.isWritableFile(atPath: memory.path)
        return try hasMemory ? Scratch(in: memory) : Scratch()
    }

    func remove() {
        // What cannot be removed lies in the system's folder for such things, and harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    var databasePath: String { path + "/caret.sqlite" }

    func databaseBytes() throws -> Data { try Data(contentsOf: URL(filePath: databasePath)) }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(filePath: databasePath)) }

    /// The bytes of all files but those that SQLite makes anew whenever it opens a log, and that of the lock.
    func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { !$0.hasSuffix("-shm") && $0 != "caret.lock" }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: URL(filePath: "\(path)/\($0)"))) }
        )
    }

    /// What a query answers with, a store being open or not.
    func number(_ sql: String) throws -> Int64 {
        let database = try Database(path: databasePath, for: .read)
        return try database.first(sql) { $0.integer(0) } ?? 0
    }

    /// The backups that a writer has made here.
    func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("backup-") && !$0.contains(".partial") }.map { "\(path)/\($0)" }
    }

    /// How often the log was begun anew: the number that SQLite counts up in its header.
    func logBegun() throws -> UInt32 {
        let header = try Data(contentsOf: URL(filePath: databasePath + "-wal")).prefix(16)
        return header.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func count(_ table: String) throws -> Int64 { try number("SELECT count(*) FROM \(table)") }
}

/// How often something happened, on whatever queue.
final class Counted: Sendable {
    private let counted = Mutex(0)

    func add() { counted.withLock { $0 += 1 } }

    var count: Int { counted.withLock { $0 } }
}

extension SQLiteStore {
    func close() async { await withCheckedContinuation { done in close { done.resume() } } }
}
