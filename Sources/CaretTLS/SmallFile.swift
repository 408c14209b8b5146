import Glibc

/// Reads small files, such as those of keys and certificates.
package enum SmallFile {
    package struct Contents {
        /// How many bytes were read. If the buffer is full, the file may have more.
        package let count: Int
        /// The permission bits.
        package let mode: UInt32
    }

    /// The file cannot be read. `reason` is the error text of the system.
    package struct Fault: Error {
        package let reason: String
    }

    /// Fills the buffer from the beginning of the file.
    package static func read(
        _ path: String, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Fault) -> Contents {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw lastFault }
        defer { close(descriptor) }
        var found = stat()
        if fstat(descriptor, &found) != 0 { throw lastFault }
        var filled = 0
        while filled < buffer.count {
            let size = Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            if size < 0, errno == EINTR { continue }
            if size < 0 { throw lastFault }
            if size == 0 { break }
            filled += size
        }
        return Contents(count: filled, mode: found.st_mode & 0o7777)
    }

    private static var lastFault: Fault { Fault(reason: String(cString: strerror(errno))) }
}

extension SmallFile.Contents {
    /// Whether users other than the owner may read or write the file.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}
