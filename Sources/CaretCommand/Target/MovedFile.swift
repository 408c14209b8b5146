import CLinux
import CaretSync
import Glibc

/// Gives a file another name, on another disk too, so that whatever bears the name is whole and on disk.
enum MovedFile {
    private static let piece = 1 << 20

    /// A file that has the new name already stays.
    static func move(_ old: String, to new: String) throws(FileFault) {
        if caret_rename_new(old, new) == 0 { return try SystemFile.sync(folderOf: new) }
        if errno != EXDEV { throw FileFault("move it", new) }
        try copy(old, to: new)
        try SystemFile.sync(folderOf: new)
        // One that stays is there twice, and harms nobody.
        unlink(old)
    }

    private static func copy(_ old: String, to new: String) throws(FileFault) {
        let partial = new + ".caret-partial"
        let (source, target) = (
            open(old, O_RDONLY | O_CLOEXEC), open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        )
        defer {
            close(source)
            close(target)
            unlink(partial)
        }
        if source < 0 || target < 0 { throw FileFault("copy it", new) }
        var bytes = [UInt8](repeating: 0, count: piece)
        while true {
            let count = read(source, &bytes, bytes.count)
            if count == 0 { break }
            if count < 0, errno != EINTR { throw FileFault("read it", old) }
            try SystemFile.put(bytes.prefix(max(0, count)), into: target, partial)
        }
        if fsync(target) != 0 || caret_rename_new(partial, new) != 0 { throw FileFault("write it", new) }
    }
}
