import CZlib
package import CaretSync
import Glibc

/// Writes a gzip file, and closes the file when this object is released.
package final class GzipOutput {
    private let path: String
    private let descriptor: Int32
    private var file: gzFile?

    /// Creates the file, and throws if it already exists. Only the owner can read the file, because texts can
    /// be private.
    package init(_ path: String) throws(FileFault) {
        self.path = path
        descriptor = open(path, PartialFile.flags, 0o600)
        if descriptor < 0 { throw FileFault("make it", path) }
        // zlib gets a copy of the descriptor and closes the copy. `finish` needs the original for `fsync`.
        file = gzdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb6")
        // `deinit` closes the descriptor.
        if file == nil { throw FileFault("write it", path, ENOMEM) }
        gzbuffer(file, 1 << 17)
    }

    deinit {
        if let file { gzclose(file) }
        close(descriptor)
    }

    package func write(_ bytes: [UInt8]) throws(FileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 << 24)
            let count = piece.withUnsafeBytes { gzwrite(file, $0.baseAddress, UInt32($0.count)) }
            if count <= 0 { throw FileFault("write it", path) }
            rest = rest.dropFirst(Int(count))
        }
    }

    /// Writes the bytes that are still buffered, syncs the file to disk, and returns the length of the file.
    package func finish() throws(FileFault) -> Int {
        let code = gzclose(file)
        file = nil
        if code != Z_OK || fsync(descriptor) != 0 { throw FileFault("write it", path) }
        return Int(lseek(descriptor, 0, SEEK_END))
    }
}
