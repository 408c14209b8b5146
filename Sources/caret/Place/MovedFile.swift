import CLinux
import Glibc

/// Gives a file another name, on another disk too, so that whatever bears the name is whole and on disk.
enum MovedFile {
    private static let piece = 1 << 20

    /// A file that has the new name already stays.
    static func move(_ old: String, to new: String) throws(NewFile.Fault) {
        if caret_rename_new(old, new) == 0 { return try sync(folderOf: new) }
        if errno != EXDEV { throw NewFile.Fault(code: errno) }
        try copy(old, to: new)
        try sync(folderOf: new)
        // One that stays is there twice, and harms nobody.
        unlink(old)
    }

    private static func copy(_ old: String, to new: String) throws(NewFile.Fault) {
        let partial = new + ".caret-partial"
        let (source, target) = (
            open(old, O_RDONLY | O_CLOEXEC), open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        )
        defer {
            close(source)
            close(target)
            unlink(partial)
        }
        if source < 0 || target < 0 { throw NewFile.Fault(code: errno) }
        var bytes = [UInt8](repeating: 0, count: piece)
        while true {
            let count = read(source, &bytes, bytes.count)
            if count == 0 { break }
            if count < 0, errno != EINTR { throw NewFile.Fault(code: errno) }
            try NewFile.put(bytes.prefix(max(0, count)), into: target)
        }
        if fsync(target) != 0 || caret_rename_new(partial, new) != 0 { throw NewFile.Fault(code: errno) }
    }

    static func sync(folderOf path: String) throws(NewFile.Fault) {
        let name = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { throw NewFile.Fault(code: errno) }
        defer { close(folder) }
        if fsync(folder) != 0 { throw NewFile.Fault(code: errno) }
    }
}
