// Finds how many bytes of two texts are equal at the start and at the end. When a client pushes a whole text,
// most of the text is usually found equal in this way, so the comparison is cheap.

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes that are equal at the start of both buffers.
    func commonPrefixLength(with other: UTF8Bytes) -> Int {
        let limit = Swift.min(count, other.count)
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        #if !hasFeature(Embedded)
            while index + 32 <= limit, blockDifference(left, index, right, index) == 0 { index += 32 }
        #endif
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
        #if !hasFeature(Embedded)
            while length + 32 <= limit,
                blockDifference(left, count - length - 32, right, other.count - length - 32) == 0
            {
                length += 32
            }
        #endif
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

#if !hasFeature(Embedded)
    // The browser build has no such function: the few words that it compares at once would not be worth its size.
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
#endif

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
        commonLength(with: other, .start, limit: .max)
    }

    /// The number of UTF-8 bytes that are equal at the end of both texts, at most `limit`.
    package func commonSuffixLength(with other: TextBuffer, limit: Int) -> Int {
        commonLength(with: other, .end, limit: limit)
    }

    // One method for both ends, because the browser build would be almost a KB larger with two.
    private func commonLength(with other: TextBuffer, _ end: TextEnd, limit: Int) -> Int {
        guard var left = ByteWalk(over: self, from: end), var right = ByteWalk(over: other, from: end) else {
            return 0
        }
        var length = 0
        while true {
            let (step, whole) = left.withNext { a in
                right.withNext { b in
                    let equal =
                        switch end {
                        case .start: a.commonPrefixLength(with: b)
                        case .end: a.commonSuffixLength(with: b)
                        }
                    return (equal, min(a.count, b.count))
                }
            }
            length += step
            if step < whole || length >= limit { return min(length, limit) }
            if !left.advance(by: step) || !right.advance(by: step) { return length }
        }
    }
}

private enum TextEnd {
    case start
    case end
}

/// Walks over the bytes of a text, from one end to the other.
private struct ByteWalk {
    private let text: TextBuffer
    private let origin: TextEnd
    private var index: ChunkIndex
    /// The range of the chunk's bytes that the walk has not passed yet.
    private var rest: Range<Int>

    init?(over text: TextBuffer, from origin: TextEnd) {
        let index =
            switch origin {
            case .start: text.firstChunk
            case .end: text.lastChunk
            }
        guard let index else { return nil }
        (self.text, self.origin, self.index) = (text, origin, index)
        rest = 0..<text.chunk(at: index).utf8Count
    }

    /// Calls `body` with the next bytes of the walk.
    func withNext<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
        text.chunk(at: index).withParts { front, back in
            let inFront = rest.clamped(to: 0..<front.count)
            let inBack = rest.clamped(to: front.count..<front.count + back.count)
            let isInFront =
                switch origin {
                case .start: !inFront.isEmpty
                case .end: inBack.isEmpty
                }
            if isInFront { return body(UTF8Bytes(rebasing: front[inFront])) }
            let start = inBack.lowerBound - front.count
            return body(UTF8Bytes(rebasing: back[start..<start + inBack.count]))
        }
    }

    /// Skips `count` bytes. Returns false at the end of the walk.
    mutating func advance(by count: Int) -> Bool {
        switch origin {
        case .start: rest = rest.lowerBound + count..<rest.upperBound
        case .end: rest = rest.lowerBound..<rest.upperBound - count
        }
        if !rest.isEmpty { return true }
        let next =
            switch origin {
            case .start: text.next(after: index)
            case .end: text.previous(before: index)
            }
        guard let next else { return false }
        index = next
        rest = 0..<text.chunk(at: index).utf8Count
        return true
    }
}
