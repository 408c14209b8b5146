import Glibc

/// The bytes of a file of keys, and its permissions.
struct KeyFile {
    /// The largest file that is read, in bytes. A key has at most some hundred.
    static let limit = 64 << 10

    let text: [UInt8]
    private let path: String
    private let mode: UInt32

    init(_ path: String) throws(TokenKeysFault) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw KeyFile.unreadable() }
        defer { close(descriptor) }
        var found = stat()
        if fstat(descriptor, &found) != 0 { throw KeyFile.unreadable() }
        mode = found.st_mode & 0o7777
        var text = [UInt8](repeating: 0, count: KeyFile.limit + 1)
        var filled = 0
        while filled < text.count {
            let size = text.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + filled, $0.count - filled)
            }
            if size < 0, errno == EINTR { continue }
            if size < 0 { throw KeyFile.unreadable() }
            if size == 0 { break }
            filled += size
        }
        if filled > KeyFile.limit { throw TokenKeysFault(.tooLarge) }
        self.text = Array(text[..<filled])
    }

    /// Refuses a file with a secret that other users may read.
    func checkIsPrivate() throws(TokenKeysFault) {
        if mode & 0o077 != 0 { throw TokenKeysFault(.readableByOthers(path: path, mode: mode)) }
    }

    private static func unreadable() -> TokenKeysFault {
        TokenKeysFault(.unreadable(reason: String(cString: strerror(errno))))
    }
}
