/// Reads a text line by line, and computes the hash of each line.
struct LineReader {
    struct Line {
        /// The bytes of the line, including its line break.
        let range: Range<Int>
        /// The hash of the bytes, or `blank`.
        let hash: UInt64

        /// Stands for the hash of a blank line, which has only spaces and tabs.
        static let blank: UInt64 = 0
    }

    private let bytes: UTF8Bytes
    /// Where the next line begins.
    private(set) var position = 0

    init(_ bytes: UTF8Bytes) { self.bytes = bytes }

    /// Skips a line of `length` bytes.
    mutating func skip(_ length: Int) { position += length }

    mutating func next() -> Line? {
        let start = position
        if start == bytes.count { return nil }
        var hash = LineHash()
        while position + 8 <= bytes.count {
            let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let length = LineReader.bytesBeforeLineFeed(in: word.littleEndian)
            if length == 8 {
                hash.mix(word.littleEndian)
                position += 8
                continue
            }
            hash.mix(word.littleEndian & ((1 << UInt64(8 * length)) - 1))
            position += length + 1
            return line(from: start, hash)
        }
        return shortEnd(from: start, hash)
    }

    /// Reads the rest of a line that ends in the last seven bytes of the text.
    private mutating func shortEnd(from start: Int, _ hash: LineHash) -> Line {
        var (hash, word, shift): (LineHash, UInt64, UInt64) = (hash, 0, 0)
        while position < bytes.count, bytes[position] != lineFeed {
            word |= UInt64(bytes[position]) << shift
            shift += 8
            position += 1
        }
        hash.mix(word)
        if position < bytes.count { position += 1 }
        return line(from: start, hash)
    }

    private func line(from start: Int, _ hash: LineHash) -> Line {
        for index in start..<position {
            let byte = bytes[index]
            if byte != 0x20 && byte != 0x09 && byte != lineFeed {
                // A line that has the hash of blank lines by chance gets another one.
                let value = hash.value(length: position - start)
                return Line(range: start..<position, hash: value == Line.blank ? 1 : value)
            }
        }
        return Line(range: start..<position, hash: Line.blank)
    }

    /// The number of bytes of `word` before its first line feed; 8 if `word` has none.
    private static func bytesBeforeLineFeed(in word: UInt64) -> Int {
        let difference = word ^ 0x0A0A_0A0A_0A0A_0A0A
        let zeroes = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
        return zeroes.trailingZeroBitCount >> 3
    }
}

/// A fast hash of one line, computed eight bytes at a time. Different lines can have the same hash, so lines
/// with equal hashes are then compared byte by byte.
private struct LineHash {
    private var state: UInt64 = 0

    mutating func mix(_ word: UInt64) {
        // The multiplication does not depend on the previous word, so the processor can mix several words at
        // once.
        state = (state << 23 | state >> 41) ^ (word &* 0x9E37_79B9_7F4A_7C15)
    }

    func value(length: Int) -> UInt64 {
        let folded = (state ^ state >> 32 ^ UInt64(truncatingIfNeeded: length)) &* 0xD6E8_FEB8_6659_FD93
        return folded ^ folded >> 32
    }
}
