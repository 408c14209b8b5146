import FoundationEssentials
import Glibc

/// The regular files under a folder.
enum FileTree {
    struct Found: Equatable {
        /// Under the folder, with `/` between its parts.
        let path: String
        /// Why it is left alone; nil where it is not.
        let reason: String?
    }

    /// In the order of their paths. What is hidden is not seen.
    static func files(in folder: String) throws(Failure) -> [Found] {
        var found: [Found] = []
        var folders = [""]
        while let prefix = folders.popLast() {
            for name in try names(in: prefix.isEmpty ? folder : folder + "/" + prefix)
            where name.utf8.first != UInt8(ascii: ".") {
                let path = prefix + name
                switch kind(of: folder + "/" + path) {
                case S_IFDIR: folders.append(path + "/")
                case S_IFREG: found.append(Found(path: path, reason: nil))
                default: found.append(Found(path: path, reason: "no regular file"))
                }
            }
        }
        return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static func names(in folder: String) throws(Failure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            // It says no more than that it could not, and the system says why.
            throw Failure("\(folder): it cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    /// Links are not followed: they may lead anywhere.
    private static func kind(of path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }
}
