import Glibc

/// Reads lines from a descriptor, and closes the descriptor in the end. Throws if no bytes arrive for too
/// long.
final class LineReader {
    /// No bytes arrived within the longest wait.
    struct Silence: Error {
        /// The beginning of an incomplete line, or an empty text.
        let begun: String
    }

    let descriptor: Int32
    private var bytes: [UInt8] = []
    /// Where the next line starts, and how far the bytes were searched for a line end.
    private var (start, looked) = (0, 0)

    private static let patience: Int32 = 60_000

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The next line without its line break; nil at the end.
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

    /// All remaining lines, until the end of the input.
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
