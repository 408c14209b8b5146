import CaretFormat
import Glibc

/// A sentence for the operator: what is wrong, and what to do.
extension OpeningFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notCaretDatabase: "caret.sqlite is not a database of Caret; it was not changed"
        case .damagedHeader: "the header of caret.sqlite is damaged; replace caret.sqlite with a backup"
        case .missingDatabase(let commits?):
            "caret.sqlite is missing or empty, but it had \(commits) commits; restore it or a backup"
        case .missingDatabase(nil):
            "caret.sqlite is missing or empty, and caret.commits is empty or unreadable; restore a backup"
        case .moved(let note):
            "\(note); start the server with that store, or rename caret.sqlite.moved to caret.sqlite to use the old one"
        case .moving(let note): "\(note); \(MoveNote.advice)"
        case .logOfOtherDatabase:
            "caret.sqlite-wal belongs to another database than caret.sqlite; if you replaced caret.sqlite, "
                + "move caret.sqlite-wal away first"
        case .schemaTooOld(let found, let known):
            "the database has schema \(found), but this version needs \(known); start the server once to migrate it"
        case .schemaTooNew(let found, let known):
            "the database has schema \(found), but this version only knows \(known); run the later version"
        case .migrationChanged(let migration):
            "migration \(migration) in the database differs from that of this version; run the version that applied it"
        case .migrationFailed(let migration, let fault):
            "migration \(migration) failed and was rolled back: \(fault.message)"
        case .readOnly:
            "caret.sqlite is not writable; make the server's user its owner, and set its mode to 600"
        case .folderLocked: "another server has locked the folder"
        case .system(let code): String(cString: strerror(code))
        case .database(let fault) where fault.kind == .full:
            "the disk is full; free some space, because opening the database needs it"
        case .database(let fault): "the database cannot be opened: \(fault.message) (SQLite \(fault.code))"
        }
    }
}
