import CaretSync
import Glibc

/// A folder that files are written into, by paths that come from elsewhere. Nothing outside of it is read or changed:
/// links in it are not followed. Anyone who looks at any time sees a whole file, after a power cut too.
final class TargetFolder: Sendable {
    private let path: String
    private let root: Int32

    /// Makes the folder, and those above it, where they are missing. The folder itself may be a link: the person chose it.
    init(_ path: String) throws(Failure) {
        self.path = path
        do throws(FileFault) {
            try TargetFolder.makeFolders(path)
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

    /// The bytes of a file; nil where there is none.
    func contents(at file: DocumentPath) throws(Failure) -> [UInt8]? {
        guard let folder = try folder(of: file, makesMissing: false) else { return nil }
        defer { close(folder) }
        let name = name(of: file)
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw TargetFolder.link(file.text)
            case let code: throw failure(file, code)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw failure(file, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(self.path)/\(file.text) is no regular file")
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

    /// Puts bytes into a file at once, in place of what is there, and makes the folders that it is in.
    func write(_ bytes: [UInt8], at file: DocumentPath) throws(Failure) {
        guard let folder = try folder(of: file, makesMissing: true) else {
            preconditionFailure("a folder that was made is missing")
        }
        defer { close(folder) }
        let partial = PartialFile.name()
        let descriptor = openat(folder, partial, PartialFile.flags, 0o666)
        if descriptor < 0 { throw failure(file, errno) }
        defer { close(descriptor) }
        do throws(FileFault) {
            try SystemFile.put(bytes[...], into: descriptor, partial)
            if fsync(descriptor) != 0 || renameat(folder, partial, folder, name(of: file)) != 0
                || fsync(folder) != 0
            {
                throw FileFault("write it", file.text)
            }
        } catch {
            unlinkat(folder, partial, 0)
            throw failure(file, error.code)
        }
    }

    /// The folder that a file is in, opened part by part so that no link is followed; nil where there is none.
    private func folder(of file: DocumentPath, makesMissing: Bool) throws(Failure) -> Int32? {
        var folder = fcntl(root, F_DUPFD_CLOEXEC, 0)
        if folder < 0 { throw failure(file, errno) }
        for (index, part) in file.parts.dropLast().enumerated() {
            let above = folder
            defer { close(above) }
            if makesMissing, mkdirat(above, part, 0o777) != 0, errno != EEXIST { throw failure(file, errno) }
            folder = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if folder >= 0 { continue }
            let code = errno
            if code == ENOENT { return nil }
            var status = stat()
            // Of a link the system says no more than that it is no folder.
            if fstatat(above, part, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK {
                throw TargetFolder.link(file.parts[...index].joined(separator: "/"))
            }
            throw failure(file, code)
        }
        return folder
    }

    private func name(of file: DocumentPath) -> String { file.parts[file.parts.count - 1] }

    private static func link(_ path: String) -> Failure {
        Failure("\(path) is a link, and links are not followed")
    }

    private func failure(_ file: DocumentPath, _ code: Int32) -> Failure {
        Failure("\(path)/\(file.text): \(String(cString: strerror(code)))")
    }
}
