import Glibc
import Synchronization

/// Checks whether the files that a store writes to still have their names. Any thread may call it.
///
/// A process can still write and sync a removed or replaced file, but the next process cannot open it. One
/// check costs two system calls, of about a microsecond each, and opens no file.
final class FileIdentityCheck: Sendable {
    let database: String
    private let files: [(path: String, identity: FileIdentity)]
    private let found = Atomic(true)

    /// Records the database and its log, which must both be open now.
    init(database: String) {
        self.database = database
        files = [database, database + "-wal"].map { ($0, FileIdentity($0)) }
    }

    /// Checks the files. Once the result is false, it stays false.
    func check() -> Bool {
        if found.load(ordering: .relaxed), files.contains(where: { FileIdentity($0.path) != $0.identity }) {
            found.store(false, ordering: .relaxed)
        }
        return areFound
    }

    /// The result of the last check.
    var areFound: Bool { found.load(ordering: .relaxed) }
}
