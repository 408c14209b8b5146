import Glibc
import Synchronization

/// Checks whether the files that a store writes to still have their names. Any thread may call it.
///
/// A process can still write and sync a removed or replaced file, but the next process cannot open it. One
/// check costs two system calls, of about a microsecond each, and opens no file.
final class FileIdentityCheck: Sendable {
    /// Distinguishes a file from another file with the same name.
    private struct Identity: Equatable {
        let device: dev_t
        let node: ino_t

        /// Both numbers are 0 if there is no file.
        init(_ path: String) {
            var found = stat()
            stat(path, &found)
            (device, node) = (found.st_dev, found.st_ino)
        }
    }

    let database: String
    private let files: [(path: String, identity: Identity)]
    private let found = Atomic(true)

    /// Records the database and its log, which must both be open now.
    init(database: String) {
        self.database = database
        files = [database, database + "-wal"].map { ($0, Identity($0)) }
    }

    /// Checks the files. Once the result is false, it stays false.
    func check() -> Bool {
        if found.load(ordering: .relaxed), files.contains(where: { Identity($0.path) != $0.identity }) {
            found.store(false, ordering: .relaxed)
        }
        return areFound
    }

    /// The result of the last check.
    var areFound: Bool { found.load(ordering: .relaxed) }
}
