import CLinux
import Glibc

/// The disk operations that a synced folder needs. Tests use a disk in memory that loses unsynced data in a
/// power cut.
package protocol SyncDisk: Sendable {
    /// The metadata of a file or folder. Nil if nothing has this path. Does not follow links.
    func status(_ path: String) throws(FileFault) -> FileStatus?
    /// The bytes of a file. Nil if there is no file. Does not follow links.
    func bytes(_ path: String) throws(FileFault) -> [UInt8]?
    /// The names in a folder, as bytes. Empty if there is no folder.
    func names(in path: String) throws(FileFault) -> [[UInt8]]

    /// Creates a file, syncs its bytes to disk, and returns its inode.
    func make(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt
    /// Creates a file, and returns its inode. The caller must sync the file.
    func write(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt
    func setMode(_ path: String, _ mode: UInt32) throws(FileFault)
    /// Renames a file, and replaces a file that has the new name.
    func rename(_ path: String, to new: String) throws(FileFault)
    /// Renames a file. Fails if the new name is taken.
    func renameToNew(_ path: String, _ new: String) throws(FileFault)
    /// Swaps two files atomically.
    func exchange(_ path: String, with other: String) throws(FileFault)
    /// Adds a second name (a hard link) for a file.
    func link(_ path: String, as new: String) throws(FileFault)
    func remove(_ path: String) throws(FileFault)
    func makeFolder(_ path: String, mode: UInt32) throws(FileFault)
    /// Removes an empty folder. Returns false if the folder is not empty or cannot be removed.
    func removeFolder(_ path: String) -> Bool
    /// Syncs to disk what other programs wrote into a file. Does nothing if the file is gone.
    func sync(file path: String) throws(FileFault)
    /// Begins to write a file to disk. A sync of the file must follow. If this is called for several files first,
    /// their syncs share the work of the disk.
    func beginSync(file path: String)
    /// Syncs the names in a folder to disk.
    func sync(folder path: String) throws(FileFault)

    /// Locks a file. Returns nil if another process has the lock. The lock lasts as long as the returned
    /// value.
    func lock(_ path: String) throws(FileFault) -> (any Sendable)?
}

/// A file's metadata.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case file, folder, other }

    var inode: UInt
    var size: Int
    /// When the bytes of the file changed last, in nanoseconds since 1970.
    var modified: Int
    /// When the file or its metadata changed last. Programs cannot set this time.
    var changed: Int
    var kind: Kind
    var mode: UInt32

    package init(inode: UInt, size: Int, modified: Int, changed: Int, kind: Kind, mode: UInt32) {
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
        self.kind = kind
        self.mode = mode
    }
}

extension SyncDisk {
    /// Replaces a file atomically. The new bytes survive a power cut.
    func replace(_ path: String, _ bytes: [UInt8]) throws(FileFault) {
        _ = try make(path + ".new", bytes, mode: 0o600)
        try rename(path + ".new", to: path)
        try sync(folderOf: path)
    }

    func sync(folderOf path: String) throws(FileFault) { try sync(folder: path.parentFolder) }
}

extension String {
    /// The folder of a full path.
    var parentFolder: String {
        let end = utf8.lastIndex(of: UInt8(ascii: "/")) ?? startIndex
        return end == startIndex ? "/" : String(self[..<end])
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

    func write(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt {
        try SystemFile.make(path, bytes, mode: mode, synced: false)
    }

    func setMode(_ path: String, _ mode: UInt32) throws(FileFault) {
        if chmod(path, mode) != 0 { throw FileFault("set its mode", path) }
    }

    func rename(_ path: String, to new: String) throws(FileFault) {
        if Glibc.rename(path, new) != 0 { throw FileFault("rename it", path) }
    }

    func renameToNew(_ path: String, _ new: String) throws(FileFault) {
        if caret_rename_new(path, new) != 0 { throw FileFault("create it", new) }
    }

    func exchange(_ path: String, with other: String) throws(FileFault) {
        if caret_exchange(path, other) != 0 { throw FileFault("replace it", other) }
    }

    func link(_ path: String, as new: String) throws(FileFault) {
        if Glibc.link(path, new) != 0 { throw FileFault("link it", path) }
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

    func beginSync(file path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 { return }
        defer { close(descriptor) }
        caret_begin_sync(descriptor)
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

/// Holds a lock as long as this object exists.
private final class FileLock: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// The clocks that a sync reads, in milliseconds.
package struct SyncClock: Sendable {
    /// A monotonic clock, which cannot be set.
    var steady: @Sendable () -> Int
    /// The time since 1970, like the times of files.
    var wall: @Sendable () -> Int

    package init(steady: @escaping @Sendable () -> Int, wall: @escaping @Sendable () -> Int) {
        self.steady = steady
        self.wall = wall
    }

    static let system = SyncClock(steady: { Milliseconds.steady }, wall: { Milliseconds.wall })
}
