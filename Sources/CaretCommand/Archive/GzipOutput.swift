import CZlib
import CaretSync
import Glibc

/// A file that is packed by gzip as it is written. Whoever drops it has closed it.
final class GzipOutput {
    private let path: String
    private let descriptor: Int32
    private var file: gzFile?

    /// A new file that only its owner may read, since texts may be private. Throws if there is a file of that name.
    init(_ path: String) throws(FileFault) {
        self.path = path
        descriptor = open(path, PartialFile.flags, 0o600)
        if descriptor < 0 { throw FileFault("make it", path) }
        // zlib closes the one that it has, and what was written is synced by the other one after that.
        file = gzdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb6")
        // It is let go of, which closes the descriptor.
        if file == nil { throw FileFault("write it", path, ENOMEM) }
        gzbuffer(file, 1 << 17)
    }

    deinit {
        if let file { gzclose(file) }
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(FileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 << 24)
            let count = piece.withUnsafeBytes { gzwrite(file, $0.baseAddress, UInt32($0.count)) }
            if count <= 0 { throw FileFault("write it", path) }
            rest = rest.dropFirst(Int(count))
        }
    }

    /// Writes what is left, and answers with the length of the file, which is then on disk.
    func finish() throws(FileFault) -> Int {
        let code = gzclose(file)
        file = nil
        if code != Z_OK || fsync(descriptor) != 0 { throw FileFault("write it", path) }
        return Int(lseek(descriptor, 0, SEEK_END))
    }
}
