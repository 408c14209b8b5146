import CaretConcurrency
import CaretFormat
package import CaretLog
import Glibc

extension Database {
    /// Checks one document, or the file, all documents and all tokens. This must be a connection for reading.
    func check(
        _ document: DocumentID?, isStopped: @escaping @Sendable () -> Bool = { false },
        _ progress: (CheckProgress) -> Void
    ) throws(DatabaseFault) -> CheckReport {
        let row = try StoreRow.read(self)
        let rows = SQLRows(self, Generation(row?.progress.generation ?? 0))
        var check = StoreCheck(rows, of: document, isStopped: isStopped)
        return check.run(progress)
    }
}

// Checks and backups, of an open store or of files that no store has open.
extension SQLiteStore {
    /// Checks one document, or the file and all documents, while the store keeps running. `progress` is
    /// called on another queue, and must return soon.
    package func verify(
        _ document: DocumentID? = nil, progress: @escaping @Sendable (CheckProgress) -> Void = { _ in }
    ) async throws(OpeningFault) -> CheckReport {
        openCalls.begin()
        defer { openCalls.end() }
        // If the file was replaced, a new connection would open its replacement.
        if !files.check() { throw .system(ENOENT) }
        let connection = QueueConfined(try folder.openForReading(), on: "caret.store.check")
        let result = await connection.run { [openCalls] database in
            Result { () throws(DatabaseFault) in
                try database.check(document, isStopped: { openCalls.isClosing }, progress)
            }
        }
        await connection.close()
        do throws(DatabaseFault) { return try result.get() } catch { throw .database(error) }
    }

    /// Checks a folder that no server has open, without changing anything in it.
    package static func verify(
        folder path: String, progress: (CheckProgress) -> Void = { _ in }
    ) throws(OpeningFault) -> CheckReport {
        let folder = try DataFolder(path)
        guard try FileHeader(of: folder.databasePath) != nil else { throw .system(ENOENT) }
        return try check(try folder.openForChecking(), progress)
    }

    /// Checks a backup, or any other database of Caret that no store of this process has open. A backup stays
    /// marked as a backup.
    package static func verify(
        backup path: String, progress: (CheckProgress) -> Void = { _ in }
    ) throws(OpeningFault) -> CheckReport {
        guard try FileHeader(of: path) != nil else { throw .system(ENOENT) }
        let database: Database
        do throws(DatabaseFault) { database = try Database(path: path, for: .read) } catch {
            throw .database(error)
        }
        return try check(database, progress)
    }

    /// Whether a file has the header of a backup, and the length that the header names. This check is quick,
    /// because it reads only the header. It finds files that were cut off, but no other damage.
    package static func isWhole(backup path: String) -> Bool {
        var status = stat()
        // `try?`: a file without a valid header is no whole backup, whatever the reason is.
        guard let header = try? FileHeader(of: path), stat(path, &status) == 0 else { return false }
        return Int64(status.st_size) == header.length
    }

    private static func check(
        _ database: Database, _ progress: (CheckProgress) -> Void
    ) throws(OpeningFault) -> CheckReport {
        try Migrator(migrations: Migration.all).requireAll(in: database)
        do throws(DatabaseFault) {
            return try database.check(nil, progress)
        } catch {
            throw .database(error)
        }
    }

    /// Copies the store into a new file, while it keeps running. The copy is checked before it gets its name.
    /// `progress` gets the number of copied pages and of all pages.
    package func backUp(
        to path: String, at time: Int64,
        progress: @escaping @Sendable (_ pages: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws(BackupFault) -> CheckReport {
        openCalls.begin()
        defer { openCalls.end() }
        if !files.check() { throw .system(ENOENT) }
        let source: Database
        do throws(OpeningFault) { source = try folder.openForReading() } catch { throw BackupFault(error) }
        let backup = Backup(
            path: path, time: time, isStopped: { [openCalls] in openCalls.isClosing }, progress: progress)
        let connection = QueueConfined(source, on: "caret.store.backup")
        let result = await connection.run { database in
            Result { () throws(BackupFault) in try backup.make(from: database) }
        }
        await connection.close()
        return try result.get()
    }
}
