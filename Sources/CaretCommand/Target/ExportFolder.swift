import CaretSync
import Glibc

/// A folder for exported files, whose paths come from an untrusted server. Follows no links inside the
/// folder, so no file outside of it is read or changed. Readers always see whole files, also after a power
/// cut.
package final class ExportFolder: Sendable {
    private let path: String
    private let root: Int32
    /// Makes the bytes of an open file, or the names in an open folder, survive a power cut.
    private let sync: @Sendable (Int32) -> Int32

    /// Creates the folder and its missing parents. The folder itself can be a link, because the user chose
    /// it.
    package init(
        _ path: String, syncingWith sync: @escaping @Sendable (Int32) -> Int32 = { fsync($0) }
    ) throws(Failure) {
        self.path = path
        self.sync = sync
        do throws(FileFault) {
            try ExportFolder.makeFolders(path)
        } catch {
            throw Failure("\(error.path): \(error.reason)")
        }
        root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if root < 0 { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(root) }

    private static func makeFolders(_ path: String) throws(FileFault) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for index in parts.indices {
            let folder = parts[...index].joined(separator: "/")
            if !folder.isEmpty { try SystemFile.makeFolder(folder) }
        }
    }

    /// The bytes of a file; nil if it does not exist.
    package func contents(at file: DocumentPath) throws(Failure) -> [UInt8]? {
        guard let folder = try folder(of: file, makesMissing: false) else { return nil }
        defer { close(folder) }
        let name = name(of: file)
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw ExportFolder.link(file.text)
            case let code: throw failure(file, code)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw failure(file, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(self.path)/\(file.text) is not a regular file")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { throw failure(file, errno) }
            bytes += piece.prefix(max(0, count))
        }
    }

    /// Replaces a file atomically, and creates the folders that it is in.
    package func write(_ bytes: [UInt8], at file: DocumentPath) throws(Failure) {
        guard let folder = try folder(of: file, makesMissing: true) else {
            preconditionFailure("the folder of the file was not created")
        }
        defer { close(folder) }
        let partial = PartialFile.name()
        let descriptor = openat(folder, partial, PartialFile.flags, 0o666)
        if descriptor < 0 { throw failure(file, errno) }
        defer { close(descriptor) }
        do throws(FileFault) {
            try SystemFile.put(bytes[...], into: descriptor, partial)
            if sync(descriptor) != 0 || renameat(folder, partial, folder, name(of: file)) != 0
                || sync(folder) != 0
            {
                throw FileFault("write it", file.text)
            }
        } catch {
            unlinkat(folder, partial, 0)
            throw failure(file, error.code)
        }
    }

    /// Opens the folder of a file part by part, so that no link is followed. Returns nil if the folder does
    /// not exist.
    private func folder(of file: DocumentPath, makesMissing: Bool) throws(Failure) -> Int32? {
        var folder = fcntl(root, F_DUPFD_CLOEXEC, 0)
        if folder < 0 { throw failure(file, errno) }
        for (index, part) in file.parts.dropLast().enumerated() {
            let above = folder
            defer { close(above) }
            if makesMissing {
                let isMade = mkdirat(above, part, 0o777) == 0
                if isMade ? sync(above) != 0 : errno != EEXIST { throw failure(file, errno) }
            }
            folder = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if folder >= 0 { continue }
            let code = errno
            if code == ENOENT { return nil }
            var status = stat()
            // For a link, the system reports only that it is not a folder, so this code checks for a link.
            if fstatat(above, part, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK {
                throw ExportFolder.link(file.parts[...index].joined(separator: "/"))
            }
            throw failure(file, code)
        }
        return folder
    }

    private func name(of file: DocumentPath) -> String { file.parts[file.parts.count - 1] }

    private static func link(_ path: String) -> Failure {
        Failure("\(path) is a symbolic link; links are not followed")
    }

    private func failure(_ file: DocumentPath, _ code: Int32) -> Failure {
        Failure("\(path)/\(file.text): \(String(cString: strerror(code)))")
    }
}
