import CSQLite
import CaretFormat
package import CaretLog
import Glibc

/// Why a backup failed. Its partial file was removed.
package enum BackupFault: Error, Equatable, Sendable {
    /// A file with this name exists. It was left unchanged.
    case exists
    /// A call to the file system failed, with this `errno`.
    case system(Int32)
    case database(DatabaseFault)
    /// The copy is damaged, so the store is damaged too.
    case damaged(CheckReport)
}

extension BackupFault {
    /// Whether the disk was full.
    package var isOutOfSpace: Bool {
        switch self {
        case .system(let code): FileFault(code: code).isOutOfSpace
        case .database(let fault): fault.kind == .full
        case .exists, .damaged: false
        }
    }

    /// Whether the store is damaged. Copying it or checking the copy has found the damage.
    package var isDamage: Bool {
        switch self {
        case .damaged: true
        case .database(let fault): fault.kind == .damaged
        case .exists, .system: false
        }
    }

    /// Converts the reason why the store could not open another connection.
    package init(_ fault: OpeningFault) {
        switch fault {
        case .database(let fault): self = .database(fault)
        case .system(let code): self = .system(code)
        case .notCaretDatabase, .damagedHeader, .missingDatabase, .moved, .moving, .logOfOtherDatabase,
            .schemaTooOld, .schemaTooNew, .migrationChanged, .migrationFailed, .readOnly,
            .folderLocked:
            preconditionFailure("opening a connection for reading failed with the unexpected fault \(fault)")
        }
    }
}

/// Copies a store into one new file, while writing continues. The copy is a snapshot of the store.
///
/// The copy is made, marked and checked under a temporary name. So a file with the final name is always
/// complete.
struct Backup {
    let path: String
    /// The time of the backup in milliseconds, which is written into the copy as its mark.
    let time: Int64
    let isStopped: @Sendable () -> Bool
    /// Gets the number of copied pages and of all pages.
    let progress: @Sendable (_ pages: Int, _ all: Int) -> Void

    private static let pagesAtOnce: Int32 = 256

    private var partial: String { path + ".partial" }

    /// Makes a backup of the database that `source` reads.
    func make(from source: Database) throws(BackupFault) -> CheckReport {
        if access(path, F_OK) == 0 { throw .exists }
        removePartial()
        do throws(BackupFault) {
            try onDatabase { () throws(DatabaseFault) in
                try copy(source)
                try mark()
            }
            let report = try checked()
            if !report.isSound { throw .damaged(report) }
            try publish()
            return report
        } catch {
            removePartial()
            throw error
        }
    }

    /// Copies inside one read transaction, because otherwise every write would make SQLite restart the copy.
    private func copy(_ source: Database) throws(DatabaseFault) {
        let target = try Database.create(at: partial)
        try source.reading(
            { () throws(DatabaseFault) in
                _ = try source.first("SELECT count(*) FROM schema_migration") { $0.integer(0) }
                guard let backup = sqlite3_backup_init(target.connection, "main", source.connection, "main")
                else {
                    throw target.fault
                }
                var code = SQLITE_OK
                while code == SQLITE_OK && !isStopped() {
                    code = sqlite3_backup_step(backup, Backup.pagesAtOnce)
                    let all = Int(sqlite3_backup_pagecount(backup))
                    progress(all - Int(sqlite3_backup_remaining(backup)), all)
                }
                sqlite3_backup_finish(backup)
                if code != SQLITE_DONE {
                    throw DatabaseFault(code: code, message: "the copy was interrupted")
                }
            }, orFault: \.self)
    }

    /// Marks the copy as a backup, and makes it a single file without a log.
    private func mark() throws(DatabaseFault) {
        let target = try Database(path: partial, for: .write)
        try target.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;")
        try target.run("UPDATE store SET backup = ?", .integer(time))
    }

    private func checked() throws(BackupFault) -> CheckReport {
        try onDatabase { () throws(DatabaseFault) in
            try Database(path: partial, for: .read).check(nil, isStopped: isStopped) { _ in }
        }
    }

    /// Gives the copy its name, and makes sure that it survives a power cut.
    private func publish() throws(BackupFault) {
        try sync(partial)
        // If another process has created a file with this name meanwhile, leave that file unchanged.
        if link(partial, path) != 0 { throw errno == EEXIST ? .exists : .system(errno) }
        unlink(partial)
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        try sync(folder.isEmpty ? "/" : String(folder))
    }

    private func sync(_ path: String) throws(BackupFault) {
        do throws(FileFault) { try syncFile(path) } catch { throw .system(error.code) }
    }

    private func removePartial() {
        for end in BackupFiles.partialEnds { unlink(path + end) }
    }

    private func onDatabase<Result>(
        _ body: () throws(DatabaseFault) -> Result
    ) throws(BackupFault) -> Result {
        do throws(DatabaseFault) { return try body() } catch { throw .database(error) }
    }
}
