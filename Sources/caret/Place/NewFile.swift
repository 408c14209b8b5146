import FoundationEssentials
import Glibc

/// Writes files so that nobody ever sees half of one.
enum NewFile {
    struct Fault: Error {
        let code: Int32

        var words: String { String(cString: strerror(code)) }
    }

    /// Puts bytes into a file under its own name at once, and makes the folders in which it is.
    static func write(_ bytes: [UInt8], to path: String) throws(Fault) {
        try makeFolders(of: path)
        let partial = path + ".caret-partial"
        let file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if file < 0 { throw Fault(code: errno) }
        do throws(Fault) {
            defer { close(file) }
            try put(bytes[...], into: file)
            if rename(partial, path) != 0 { throw Fault(code: errno) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// The bytes of a file; nil where there is none.
    static func contents(of path: String) throws(Fault) -> [UInt8]? {
        if access(path, F_OK) != 0 { return nil }
        do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
            // It says no more than that it could not, and the system says why.
            throw Fault(code: errno)
        }
    }

    private static func makeFolders(of path: String) throws(Fault) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for index in parts.indices {
            let folder = parts[...index].joined(separator: "/")
            if !folder.isEmpty, mkdir(folder, 0o777) != 0, errno != EEXIST { throw Fault(code: errno) }
        }
    }

    static func put(_ bytes: ArraySlice<UInt8>, into file: Int32) throws(Fault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw Fault(code: errno) }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
