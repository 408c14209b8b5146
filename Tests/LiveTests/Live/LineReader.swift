import Glibc

/// Reads lines from a descriptor. Throws if no bytes arrive for too long.
final class LineReader {
    /// No bytes arrived within the longest wait.
    struct ReadTimeout: Error {
        /// The beginning of an incomplete line, or an empty text.
        let incompleteLine: String
    }

    let descriptor: Int32
    /// Closes the descriptor; nil if this reader closes it.
    private let owner: AnyObject?
    private var bytes: [UInt8] = []
    /// Where the next line starts, and how far the bytes were searched for a line end.
    private var (start, searchedEnd) = (0, 0)

    private static let timeoutMilliseconds: Int32 = 60_000

    init(_ descriptor: Int32, ownedBy owner: AnyObject? = nil) {
        (self.descriptor, self.owner) = (descriptor, owner)
    }

    deinit { if owner == nil { close(descriptor) } }

    /// The next line without its line break; nil at the end.
    func next() throws -> String? {
        while true {
            if let end = nextLineEnd {
                defer { (start, searchedEnd) = (end + 1, end + 1) }
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            bytes.removeFirst(start)
            (start, searchedEnd) = (0, bytes.count)
            if try !readMore() { return nil }
        }
    }

    /// Uses `memchr`, because this code is not optimized and some lines have megabytes.
    private var nextLineEnd: Int? {
        bytes.withUnsafeBytes { all in
            guard let start = all.baseAddress, searchedEnd < all.count else { return nil }
            let found = memchr(start + searchedEnd, Int32(UInt8(ascii: "\n")), all.count - searchedEnd)
            return found.map { UnsafeRawPointer($0) - start }
        }
    }

    /// All remaining lines, until the end of the input.
    func remainingLines() throws -> [String] {
        var lines: [String] = []
        while let line = try next() { lines.append(line) }
        return lines
    }

    /// The lines that have arrived, without waiting.
    func arrivedLines() throws -> [String] {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, 0) > 0, try readMore() {}
        var lines: [String] = []
        (start, searchedEnd) = (start, start)
        while let end = nextLineEnd {
            lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
            (start, searchedEnd) = (end + 1, end + 1)
        }
        return lines
    }

    /// The next bytes; nil if the input ends before them.
    func next(bytes count: Int) throws -> [UInt8]? {
        while bytes.count - start < count {
            bytes.removeFirst(start)
            (start, searchedEnd) = (0, 0)
            if try !readMore() { return nil }
        }
        defer { (start, searchedEnd) = (start + count, start + count) }
        return Array(bytes[start..<start + count])
    }

    private func readMore() throws -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&polled, 1, Self.timeoutMilliseconds) == 0 {
            throw ReadTimeout(incompleteLine: String(decoding: bytes, as: UTF8.self))
        }
        let piece = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let bytesRead = read(descriptor, buffer.baseAddress, buffer.count)
            if bytesRead < 0 { throw SystemFailure("read", errno) }
            count = bytesRead
        }
        bytes += piece
        return !piece.isEmpty
    }
}
