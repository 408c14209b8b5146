import CLinux
package import CaretSync
import Glibc

/// Moves a file to a new name, which may be on another disk. A file with the new name is always complete and
/// synced to disk.
package enum MovedFile {
    private static let piece = 1 << 20

    /// Fails if a file with the new name exists. A copy to another disk has the path `partial` until it is
    /// complete; nil for a random name. `sync` syncs the folder of a path.
    package static func move(
        _ old: String, to new: String, partial: String? = nil,
        sync: (String) throws(FileFault) -> Void = { path throws(FileFault) in
            try SystemFile.sync(folderOf: path)
        }
    ) throws(MoveFault) {
        let isOnSameDisk = caret_rename_new(old, new) == 0
        if !isOnSameDisk {
            if errno != EXDEV { throw .notMoved(FileFault("move it", new)) }
            do throws(FileFault) {
                try copy(old, to: new, partial ?? PartialFile.path(beside: new))
            } catch {
                throw .notMoved(error)
            }
        }
        do throws(FileFault) { try sync(new) } catch { throw .notSynced(error) }
        // If the old file cannot be removed, the file is on both disks, which does no harm.
        if !isOnSameDisk { unlink(old) }
    }

    private static func copy(_ old: String, to new: String, _ partial: String) throws(FileFault) {
        let source = open(old, O_RDONLY | O_CLOEXEC)
        if source < 0 { throw FileFault("open it", old) }
        defer { close(source) }
        let target = open(partial, PartialFile.flags, 0o600)
        if target < 0 { throw FileFault("make it", new) }
        defer {
            close(target)
            unlink(partial)
        }
        var bytes = [UInt8](repeating: 0, count: piece)
        while true {
            let count = read(source, &bytes, bytes.count)
            if count == 0 { break }
            if count < 0, errno != EINTR { throw FileFault("read it", old) }
            try SystemFile.put(bytes.prefix(max(0, count)), into: target, new)
        }
        if fsync(target) != 0 || caret_rename_new(partial, new) != 0 { throw FileFault("write it", new) }
    }
}

/// Why a file was not moved, or why the move may not last.
package enum MoveFault: Error, Equatable {
    case notMoved(FileFault)
    /// The file has its new name, but its folder could not be synced. So a power loss can undo the renaming.
    case notSynced(FileFault)
}
