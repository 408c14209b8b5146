import FoundationEssentials
import Glibc

/// Writes files so that nobody ever sees half of one, after a power cut neither.
enum NewFile {
    /// Puts bytes into a file under its own name at once, and makes the folders in which it is.
    static func write(_ bytes: [UInt8], to path: String) throws(FileFault) {
        try makeFolders(of: path)
        let partial = path + ".caret-partial"
        do throws(FileFault) {
            try SystemFile.make(partial, bytes, mode: 0o666)
            if rename(partial, path) != 0 { throw FileFault("replace it", path) }
        } catch {
            unlink(partial)
            throw error
        }
        try SystemFile.sync(folderOf: path)
    }

    /// The bytes of a file; nil where there is none.
    static func contents(of path: String) throws(FileFault) -> [UInt8]? {
        if access(path, F_OK) != 0 { return nil }
        do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
            // It says no more than that it could not, and the system says why.
            throw FileFault("read it", path)
        }
    }

    private static func makeFolders(of path: String) throws(FileFault) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for index in parts.indices {
            let folder = parts[...index].joined(separator: "/")
            if !folder.isEmpty { try SystemFile.makeFolder(folder) }
        }
    }
}
