import CaretFormat
import Glibc

// After a move, the folder keeps the old database under another name. Even a server of an older version then refuses
// the folder, because the commit counter shows that the database is missing.
extension DataFolder {
    private var movedDatabasePath: String { databasePath + ".moved" }
    private var notePath: String { DataFolder.notePath(path) }

    private static func notePath(_ folder: String) -> String { folder + "/caret.moved" }

    /// The note of a move from this folder; nil if there was none.
    package static func moveNote(in folder: String) -> String? {
        let file = open(notePath(folder), O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        // No note is longer: the target is a path of at most 4,096 bytes, or an address.
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self) : nil
    }

    /// Writes the note, which has no effect while the database has its name.
    func write(_ note: MoveNote) throws(OpeningFault) {
        let file = open(notePath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(errno) }
        defer { close(file) }
        let bytes = Array("\(note)\n".utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw .system(errno)
        }
    }

    /// Renames the database. No connection may write to it any more.
    func retireDatabase() throws(OpeningFault) {
        if rename(databasePath, movedDatabasePath) != 0 { throw .system(errno) }
        do throws(FileFault) { try syncFile(path) } catch { throw .system(error.code) }
    }

    /// The first file of a store in this folder; nil if there is none.
    func firstFileOfStore() -> String? {
        [databasePath, movedDatabasePath, databasePath + "-wal", notePath, path + "/caret.commits"]
            .first { access($0, F_OK) == 0 }
    }
}
