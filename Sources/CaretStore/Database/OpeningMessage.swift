import Glibc

/// A sentence for the operator: what is wrong, and what to do.
extension OpeningFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .foreign: "caret.sqlite is no database of Caret; it is left alone"
        case .badHeader: "the header of caret.sqlite is damaged; put a backup in its place"
        case .lost(let commits?):
            "caret.sqlite is missing or empty, and \(commits) commits were in it; put it or a backup back"
        case .lost(nil):
            "caret.sqlite is missing, and caret.commits beside it is unreadable; put a backup in its place"
        case .otherLog:
            "caret.sqlite-wal was written for another database than caret.sqlite; if caret.sqlite was put there, "
                + "move caret.sqlite-wal away first"
        case .older(let found, let known):
            "the database has schema \(found), and \(known) is needed; start the server once, which brings it there"
        case .newer(let found, let known):
            "the database has schema \(found), and this version knows \(known); run the later version"
        case .changed(let migration):
            "migration \(migration) was applied in another form than this version has"
        case .migrating(let migration, let fault):
            "migration \(migration) failed and was undone: \(fault.message)"
        case .readOnly:
            "caret.sqlite may not be written; give it the mode 600 and the server's user as its owner"
        case .held: "another server holds the folder"
        case .system(let code): String(cString: strerror(code))
        case .database(let fault) where fault.kind == .full:
            "the disk is full, and the database cannot be opened without space; make some"
        case .database(let fault): "the database cannot be opened: \(fault.message) (SQLite \(fault.code))"
        }
    }
}
