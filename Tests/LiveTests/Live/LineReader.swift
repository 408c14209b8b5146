import Glibc

/// The lines that come from a descriptor, which it closes. A wait that is too long is a failure.
final class LineReader {
    /// Nothing came for so long that nothing will.
    struct Silence: Error {
        /// What came of a line.
        let begun: String
    }

    let descriptor: Int32
    private var bytes: [UInt8] = []
    /// Where the next line begins, and to where its end was looked for.
    private var (start, looked) = (0, 0)

    private static let patience: Int32 = 60_000

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The next line without its end; nil where no more comes.
    func next() throws -> String? {
        while true {
            if let end = bytes[looked...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, looked) = (end + 1, end + 1) }
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            bytes.removeFirst(start)
            (start, looked) = (0, bytes.count)
            if try !readMore() { return nil }
        }
    }

    /// All lines until the end.
    func rest() throws -> [String] {
        var lines: [String] = []
        while let line = try next() { lines.append(line) }
        return lines
    }

    private func readMore() throws -> Bool {
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&asked, 1, Self.patience) == 0 {
            throw Silence(begun: String(decoding: bytes, as: UTF8.self))
        }
        let piece = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let got = read(descriptor, buffer.baseAddress, buffer.count)
            if got < 0 { throw SystemFailure("read", errno) }
            count = got
        }
        bytes += piece
        return !piece.isEmpty
    }
}
