import CSQLite
import CaretLog
import Glibc

/// Why there is no backup. What was begun of it is removed.
package enum BackupFault: Error, Equatable, Sendable {
    /// A file of this name is there, and is left alone.
    case exists
    /// The file system refused, with its `errno`.
    case system(Int32)
    case database(DatabaseFault)
    /// The copy, and so the store, is damaged.
    case damaged(CheckReport)
}

extension BackupFault {
    /// There is no room for it.
    package var isOutOfSpace: Bool {
        switch self {
        case .system(let code): code == ENOSPC
        case .database(let fault): fault.kind == .full
        case .exists, .damaged: false
        }
    }

    /// The store is damaged: where that was noticed while it was copied, too.
    package var isDamage: Bool {
        switch self {
        case .damaged: true
        case .database(let fault): fault.kind == .damaged
        case .exists, .system: false
        }
    }

    /// Why the store could not be opened once more.
    package init(_ fault: OpeningFault) {
        switch fault {
        case .database(let fault): self = .database(fault)
        case .system(let code): self = .system(code)
        case .foreign, .badHeader, .lost, .otherLog, .older, .newer, .changed, .migrating, .readOnly,
            .held:
            preconditionFailure("a connection that reads was refused as \(fault)")
        }
    }
}

/// A copy of a store in one new file, of one moment, made while writing goes on.
///
/// It is copied, marked and checked under another name, so whatever bears the name that was asked for is whole.
struct Backup {
    let path: String
    /// When it is made, in milliseconds: its mark.
    let time: Int64
    let isStopped: @Sendable () -> Bool
    /// Told how many pages of how many are copied.
    let progress: @Sendable (_ pages: Int, _ all: Int) -> Void

    private static let pagesAtOnce: Int32 = 256

    private var partial: String { path + ".partial" }

    /// Copies what the connection reads.
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

    /// Inside one transaction that reads, so that whatever is written meanwhile does not begin it anew.
    private func copy(_ source: Database) throws(DatabaseFault) {
        let target = try Database(path: partial, for: .write)
        // While it is empty.
        do throws(FileFault) { try restrictToOwner(partial) } catch {
            throw DatabaseFault(code: SQLITE_IOERR, message: String(cString: strerror(error.code)))
        }
        try target.reserveSums()
        // Nobody relies on it before it is published, which syncs it.
        try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
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
                if code != SQLITE_DONE { throw DatabaseFault(code: code, message: "the copy stopped") }
            }, orFault: \.self)
    }

    /// Marks the copy as a backup, and makes it one file.
    private func mark() throws(DatabaseFault) {
        let target = try Database(path: partial, for: .write)
        try target.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;")
        try target.run("UPDATE store SET backup = ?", .integer(time))
    }

    private func checked() throws(BackupFault) -> CheckReport {
        try onDatabase { () throws(DatabaseFault) in
            var check = try StoreCheck(Database(path: partial, for: .read), isStopped: isStopped)
            return check.run(nil) { _ in }
        }
    }

    /// From now on it is there, whatever happens to the machine.
    private func publish() throws(BackupFault) {
        try sync(partial)
        // Whoever made a file of that name meanwhile keeps it.
        if link(partial, path) != 0 { throw errno == EEXIST ? .exists : .system(errno) }
        unlink(partial)
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        try sync(folder.isEmpty ? "/" : String(folder))
    }

    private func sync(_ path: String) throws(BackupFault) {
        do throws(FileFault) { try syncFile(path) } catch { throw .system(error.code) }
    }

    private func removePartial() {
        for end in ["", "-journal", "-wal", "-shm"] { unlink(partial + end) }
    }

    private func onDatabase<Result>(
        _ body: () throws(DatabaseFault) -> Result
    ) throws(BackupFault) -> Result {
        do throws(DatabaseFault) { return try body() } catch { throw .database(error) }
    }
}
