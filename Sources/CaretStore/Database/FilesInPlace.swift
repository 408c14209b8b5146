import Glibc
import Synchronization

/// Whether the files that a store writes to are still those that their names lead to. Any thread may ask.
///
/// A file that was removed or replaced can be written and synced like any other, and nobody finds what is in it. To ask
/// for both names costs two calls of the system, about a microsecond each, and neither opens a file.
final class FilesInPlace: Sendable {
    /// What tells a file from another one of its name.
    private struct Identity: Equatable {
        let device: dev_t
        let node: ino_t

        /// Nil where there is no file, or the system does not say.
        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0, found.st_nlink > 0 else { return nil }
            (device, node) = (found.st_dev, found.st_ino)
        }
    }

    let database: String
    private let files: [(path: String, identity: Identity?)]
    private let found = Atomic(true)

    /// The database and its log, as they are now: both are open.
    init(database: String) {
        self.database = database
        files = [database, database + "-wal"].map { ($0, Identity($0)) }
    }

    /// Looks at the files. False for good once one of them was not in its place.
    func look() -> Bool {
        if found.load(ordering: .relaxed), files.contains(where: { Identity($0.path) != $0.identity }) {
            found.store(false, ordering: .relaxed)
        }
        return areFound
    }

    /// What was seen when somebody looked last.
    var areFound: Bool { found.load(ordering: .relaxed) }
}
