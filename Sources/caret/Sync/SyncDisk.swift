import CLinux
import Glibc

/// What a synced folder needs of a disk. Tests have one in memory, which forgets what was not synced.
protocol SyncDisk: Sendable {
    /// Nil where nothing is. A link is not followed.
    func status(_ path: String) throws(FileFault) -> FileStatus?
    /// Nil where there is no file. A link is not followed.
    func bytes(_ path: String) throws(FileFault) -> [UInt8]?
    /// What is in a folder, by the bytes of the names; empty where there is no folder.
    func names(in path: String) throws(FileFault) -> [[UInt8]]

    /// Makes a file whose bytes are on disk when this returns, and answers with its inode.
    func make(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt
    func setMode(_ path: String, _ mode: UInt32) throws(FileFault)
    /// Renames a file; one of the new name gives way.
    func rename(_ path: String, to new: String) throws(FileFault)
    /// Renames a file, unless there is one of the new name.
    func renameToNew(_ path: String, _ new: String) throws(FileFault)
    /// Two files change places in one step.
    func exchange(_ path: String, with other: String) throws(FileFault)
    /// A second name for a file.
    func link(_ path: String, as new: String) throws(FileFault)
    func remove(_ path: String) throws(FileFault)
    func makeFolder(_ path: String, mode: UInt32) throws(FileFault)
    /// False where the folder is not empty, or cannot be removed.
    func removeFolder(_ path: String) -> Bool
    /// What others have written into a file is on disk when this returns. A file that is gone is no fault.
    func sync(file path: String) throws(FileFault)
    /// The names in a folder are on disk when this returns.
    func sync(folder path: String) throws(FileFault)

    /// Nil where another process has the lock. The lock lasts as long as what is returned.
    func lock(_ path: String) throws(FileFault) -> (any Sendable)?
}

/// What is known of a file without reading it.
struct FileStatus: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case file, folder, other }

    var inode: UInt
    var size: Int
    /// In nanoseconds since 1970.
    var modified: Int
    /// When any of this changed last. No program can set it.
    var changed: Int
    var kind: Kind
    var mode: UInt32
}

extension SyncDisk {
    /// A file gets its bytes in one step, and has them after a power cut.
    func replace(_ path: String, _ bytes: [UInt8]) throws(FileFault) {
        _ = try make(path + ".new", bytes, mode: 0o600)
        try rename(path + ".new", to: path)
        try sync(folderOf: path)
    }

    func sync(folderOf path: String) throws(FileFault) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        try sync(folder: end == path.startIndex ? "/" : String(path[..<end]))
    }
}

/// The disk of this machine.
struct SystemDisk: SyncDisk {
    func status(_ path: String) throws(FileFault) -> FileStatus? {
        try SystemFile.status(path).map { FileStatus($0) }
    }

    func bytes(_ path: String) throws(FileFault) -> [UInt8]? { try SystemFile.bytes(path) }

    func names(in path: String) throws(FileFault) -> [[UInt8]] { try SystemFile.names(in: path) }

    func make(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt {
        try SystemFile.make(path, bytes, mode: mode)
    }

    func setMode(_ path: String, _ mode: UInt32) throws(FileFault) {
        if chmod(path, mode) != 0 { throw FileFault("give it its mode", path) }
    }

    func rename(_ path: String, to new: String) throws(FileFault) {
        if Glibc.rename(path, new) != 0 { throw FileFault("rename it", path) }
    }

    func renameToNew(_ path: String, _ new: String) throws(FileFault) {
        if caret_rename_new(path, new) != 0 { throw FileFault("put it in place", new) }
    }

    func exchange(_ path: String, with other: String) throws(FileFault) {
        if caret_exchange(path, other) != 0 { throw FileFault("put it in place", other) }
    }

    func link(_ path: String, as new: String) throws(FileFault) {
        if Glibc.link(path, new) != 0 { throw FileFault("keep it", path) }
    }

    func remove(_ path: String) throws(FileFault) { try SystemFile.remove(path) }

    func makeFolder(_ path: String, mode: UInt32) throws(FileFault) {
        try SystemFile.makeFolder(path, mode: mode)
    }

    func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

    func sync(file path: String) throws(FileFault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR || errno == ELOOP { return }
            throw FileFault("open it", path)
        }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw FileFault("write it", path) }
    }

    func sync(folder path: String) throws(FileFault) { try SystemFile.sync(folderOf: path + "/") }

    func lock(_ path: String) throws(FileFault) -> (any Sendable)? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw FileFault("open it", path) }
        let lock = FileLock(descriptor)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? lock : nil
    }
}

extension FileStatus {
    init(_ status: stat) {
        inode = status.st_ino
        size = Int(status.st_size)
        modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        mode = status.st_mode & 0o7777
    }
}

/// A lock that is held as long as this value is.
private final class FileLock: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// The clocks that a sync reads, in milliseconds.
struct SyncClock: Sendable {
    /// Of a clock that nobody sets.
    var steady: @Sendable () -> Int
    /// Since 1970, as files are stamped.
    var wall: @Sendable () -> Int

    static let system = SyncClock(steady: { Milliseconds.steady }, wall: { Milliseconds.wall })
}
