import Glibc

/// Reads lines from a descriptor and closes it at the end. A wait that is too long throws.
final class LineReader {
    /// Nothing arrived within the longest wait.
    struct Silence: Error {
        /// The beginning of a line, if one arrived.
        let begun: String
    }

    let descriptor: Int32
    private var bytes: [UInt8] = []
    /// The start of the next line, and how far it was searched for its end.
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
