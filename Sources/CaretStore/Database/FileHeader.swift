import Glibc

/// The header of a database of Caret, read without SQLite.
struct FileHeader {
    /// The checkpoint number in the file's header.
    let checkpoints: Int64
    /// Whether the database may have a log.
    let hasLog: Bool
    /// The length of the whole file in bytes, computed from the number of pages in the header.
    let length: Int64

    /// Nil if the file is missing or empty. Throws if another program made the file. Reads the
    /// file without changing it.
    ///
    /// No connection of this process may have the file open: this function closes the file, which would
    /// release SQLite's locks.
    init?(of path: String) throws(OpeningFault) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 {
            if errno == ENOENT { return nil }
            throw .system(errno)
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let length = read(file, &bytes, bytes.count)
        if length < 0 { throw .system(errno) }
        if length == 0 { return nil }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 << 8 | Int64($1) } }
        guard length == bytes.count, bytes.starts(with: "SQLite format 3\0".utf8),
            number(68..<72) == Migration.applicationID
        else { throw .notCaretDatabase }
        guard number(16..<18) == PageSums.pageSize, number(20..<21) == PageSums.reservedBytes else {
            throw .damagedHeader
        }
        checkpoints = number(60..<64)
        hasLog = number(18..<20) == 0x0202
        self.length = number(28..<32) * Int64(PageSums.pageSize)
    }
}
