import FoundationEssentials
import Glibc

/// The regular files under a folder.
enum FileTree {
    struct FoundFile: Equatable {
        /// The path relative to the folder, with `/` between the parts.
        let path: String
        /// Why the file is skipped; nil if it is not skipped.
        let reason: String?
    }

    /// All files that are not hidden, sorted by path.
    static func files(in folder: String) throws(Failure) -> [FoundFile] {
        var found: [FoundFile] = []
        var folders = [""]
        while let prefix = folders.popLast() {
            for name in try names(in: prefix.isEmpty ? folder : folder + "/" + prefix)
            where name.utf8.first != UInt8(ascii: ".") {
                let path = prefix + name
                switch kind(of: folder + "/" + path) {
                case S_IFDIR: folders.append(path + "/")
                case S_IFREG: found.append(FoundFile(path: path, reason: nil))
                default: found.append(FoundFile(path: path, reason: "not a regular file"))
                }
            }
        }
        return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static func names(in folder: String) throws(Failure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            // The error that `FileManager` throws contains no reason, but `errno` does.
            throw Failure("\(folder): cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    /// Does not follow links, because they can lead outside the folder.
    private static func kind(of path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }
}
