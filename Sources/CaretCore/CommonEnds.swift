// Finds how many bytes of two texts are equal at the start and at the end. When a client pushes a whole text,
// most of the text is usually found equal in this way, so the comparison is cheap.

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes that are equal at the start of both buffers.
    func commonPrefixLength(with other: UTF8Bytes) -> Int {
        let limit = Swift.min(count, other.count)
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 32 <= limit, blockDifference(left, index, right, index) == 0 { index += 32 }
        while index + 8 <= limit {
            let difference = wordDifference(left, index, right, index)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < limit, self[index] == other[index] { index += 1 }
        return index
    }

    /// The number of bytes that are equal at the end of both buffers.
    func commonSuffixLength(with other: UTF8Bytes) -> Int {
        let limit = Swift.min(count, other.count)
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var length = 0
        while length + 32 <= limit,
            blockDifference(left, count - length - 32, right, other.count - length - 32) == 0
        {
            length += 32
        }
        while length + 8 <= limit {
            let difference = wordDifference(left, count - length - 8, right, other.count - length - 8)
            if difference != 0 { return length + difference.leadingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, self[count - length - 1] == other[other.count - length - 1] { length += 1 }
        return length
    }

    /// Whether both buffers have the same bytes.
    func isEqual(to other: UTF8Bytes) -> Bool {
        count == other.count && commonPrefixLength(with: other) == count
    }
}

/// Zero if the 32 bytes at both positions are equal. With four words at once, the comparison is as fast as
/// memory can be read. Unlike `memcmp`, this function needs no C library.
private func blockDifference(
    _ left: UnsafeRawBufferPointer, _ leftIndex: Int, _ right: UnsafeRawBufferPointer, _ rightIndex: Int
) -> UInt64 {
    wordDifference(left, leftIndex, right, rightIndex)
        | wordDifference(left, leftIndex + 8, right, rightIndex + 8)
        | wordDifference(left, leftIndex + 16, right, rightIndex + 16)
        | wordDifference(left, leftIndex + 24, right, rightIndex + 24)
}

/// Zero if the eight bytes at both positions are equal. Otherwise the lowest set bit is in the first byte
/// that differs, and the highest set bit is in the last byte that differs.
private func wordDifference(
    _ left: UnsafeRawBufferPointer, _ leftIndex: Int, _ right: UnsafeRawBufferPointer, _ rightIndex: Int
) -> UInt64 {
    (left.loadUnaligned(fromByteOffset: leftIndex, as: UInt64.self)
        ^ right.loadUnaligned(fromByteOffset: rightIndex, as: UInt64.self)).littleEndian
}

extension TextBuffer {
    /// The number of UTF-8 bytes that are equal at the start of both texts.
    func commonPrefixLength(with other: TextBuffer) -> Int {
        guard var left = ByteWalk(forwardOver: self), var right = ByteWalk(forwardOver: other) else {
            return 0
        }
        var length = 0
        while true {
            let (step, whole) = left.withNext { a in
                right.withNext { b in (a.commonPrefixLength(with: b), min(a.count, b.count)) }
            }
            length += step
            if step < whole || !left.advance(by: step) || !right.advance(by: step) { return length }
        }
    }

    /// The number of UTF-8 bytes that are equal at the end of both texts, at most `limit`.
    package func commonSuffixLength(with other: TextBuffer, limit: Int) -> Int {
        guard var left = ByteWalk(backwardOver: self), var right = ByteWalk(backwardOver: other) else {
            return 0
        }
        var length = 0
        while true {
            let (step, whole) = left.withPrevious { a in
                right.withPrevious { b in (a.commonSuffixLength(with: b), min(a.count, b.count)) }
            }
            length += step
            if step < whole || length >= limit { return min(length, limit) }
            if !left.retreat(by: step) || !right.retreat(by: step) { return length }
        }
    }
}

/// Walks over the bytes of a text, from the start to the end or back.
private struct ByteWalk {
    private let text: TextBuffer
    private var index: ChunkIndex
    /// The range of the chunk's bytes that the walk has not passed yet.
    private var rest: Range<Int>

    init?(forwardOver text: TextBuffer) {
        guard let index = text.firstChunk else { return nil }
        (self.text, self.index) = (text, index)
        rest = 0..<text.chunk(at: index).utf8Count
    }

    init?(backwardOver text: TextBuffer) {
        guard let index = text.lastChunk else { return nil }
        (self.text, self.index) = (text, index)
        rest = 0..<text.chunk(at: index).utf8Count
    }

    /// Calls `body` with the next bytes towards the end.
    func withNext<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
        text.chunk(at: index).withParts { front, back in
            rest.lowerBound < front.count
                ? body(UTF8Bytes(rebasing: front[rest.lowerBound...]))
                : body(UTF8Bytes(rebasing: back[(rest.lowerBound - front.count)...]))
        }
    }

    /// Calls `body` with the next bytes towards the start.
    func withPrevious<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
        text.chunk(at: index).withParts { front, back in
            rest.upperBound > front.count
                ? body(UTF8Bytes(rebasing: back[..<(rest.upperBound - front.count)]))
                : body(UTF8Bytes(rebasing: front[..<rest.upperBound]))
        }
    }

    /// Skips `count` bytes towards the end. Returns false at the end of the text.
    mutating func advance(by count: Int) -> Bool {
        rest = rest.lowerBound + count..<rest.upperBound
        if !rest.isEmpty { return true }
        guard let next = text.next(after: index) else { return false }
        index = next
        rest = 0..<text.chunk(at: index).utf8Count
        return true
    }

    /// Skips `count` bytes towards the start. Returns false at the start of the text.
    mutating func retreat(by count: Int) -> Bool {
        rest = rest.lowerBound..<rest.upperBound - count
        if !rest.isEmpty { return true }
        guard let previous = text.previous(before: index) else { return false }
        index = previous
        rest = 0..<text.chunk(at: index).utf8Count
        return true
    }
}
