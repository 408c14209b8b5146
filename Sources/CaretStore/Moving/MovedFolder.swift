import CaretFormat
import Glibc

// In the last steps of a move, and after it, the old database has another name. Even a server of an older version then
// refuses the folder, because the commit counter shows that the database is missing.
extension DataFolder {
    private var movingDatabasePath: String { DataFolder.movingDatabasePath(path) }
    private var movedDatabasePath: String { databasePath + ".moved" }
    private var notePath: String { DataFolder.notePath(path) }

    /// The name while the move has not ended.
    private static func movingDatabasePath(_ folder: String) -> String { folder + "/caret.sqlite.moving" }
    private static func notePath(_ folder: String) -> String { folder + "/caret.moved" }

    /// Why a folder without a database is refused after the beginning of a move; nil if there was no move.
    package static func moveFault(in folder: String) -> OpeningFault? {
        unfinishedMove(in: folder).map { .moving($0) } ?? moveNote(in: folder).map { .moved($0) }
    }

    /// The note of a move that has hidden the database and has not ended.
    package static func unfinishedMove(in folder: String) -> String? {
        // If the operator has given the database its name back, the store is in use again.
        if access(movingDatabasePath(folder), F_OK) != 0 || access(folder + "/caret.sqlite", F_OK) == 0 {
            return nil
        }
        return moveNote(in: folder) ?? "a move of its documents has not ended"
    }

    private static func moveNote(in folder: String) -> String? {
        let file = open(notePath(folder), O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        // No note is longer: the target is a path of at most 4,096 bytes, or an address.
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self) : nil
    }

    /// Opens the database for a move, under the name that it has. No server uses the folder.
    func openForMoving() throws(OpeningFault) -> Database {
        if DataFolder.unfinishedMove(in: path) == nil { return try openForChecking() }
        do throws(DatabaseFault) {
            return try Database(path: movingDatabasePath, for: .readWithoutLog)
        } catch {
            throw .database(error)
        }
    }

    /// Makes servers refuse the folder until the move ends. No connection may write to the database any more.
    func hideDatabase(_ note: MoveNote) throws(OpeningFault) {
        // The note has no effect while the database has its name.
        try write(note.unfinished)
        if DataFolder.unfinishedMove(in: path) == nil { try rename(databasePath, to: movingDatabasePath) }
    }

    /// Gives the database its name back. Never replaces a database.
    func restoreDatabase() throws(OpeningFault) {
        if DataFolder.unfinishedMove(in: path) == nil { return }
        try rename(movingDatabasePath, to: databasePath)
        unlink(notePath)
    }

    /// Ends a move.
    func retireDatabase(_ note: MoveNote) throws(OpeningFault) {
        try write("\(note)")
        try rename(movingDatabasePath, to: movedDatabasePath)
    }

    private func write(_ note: String) throws(OpeningFault) {
        let file = open(notePath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(errno) }
        defer { close(file) }
        let bytes = Array("\(note)\n".utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw .system(errno)
        }
    }

    private func rename(_ old: String, to new: String) throws(OpeningFault) {
        if Glibc.rename(old, new) != 0 { throw .system(errno) }
        do throws(FileFault) { try syncFile(path) } catch { throw .system(error.code) }
    }

    /// The first file of a store in this folder; nil if there is none.
    func firstFileOfStore() -> String? {
        [
            databasePath, movingDatabasePath, movedDatabasePath, databasePath + "-wal", notePath,
            path + "/caret.commits",
        ].first { access($0, F_OK) == 0 }
    }
}
