/// Eight bytes that are examined at once, so that scanning long strings and lines is fast.
struct ByteBlock {
    static let width = 8

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = ones << 7

    private let word: UInt64

    /// Loads eight bytes from `index` on. `bytes` must have at least eight bytes from there on.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        let raw = UnsafeRawBufferPointer(bytes)
        word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Marks the bytes equal to `byte`. Only the first mark is certain: later marks may be wrong.
    @inline(__always)
    func marks(of byte: UInt8) -> UInt64 { ByteBlock.zeros(of: word ^ (ByteBlock.ones &* UInt64(byte))) }

    /// Marks the bytes that end a plain run in a JSON string: quotes, backslashes and control characters.
    /// Only the first mark is certain: later marks may be wrong.
    @inline(__always)
    var marksOfSpecials: UInt64 {
        let controls = (word &- ByteBlock.ones &* 0x20) & ~word & ByteBlock.highs
        return controls | marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\"))
    }

    // A borrow of the subtraction spreads only upwards from a zero byte, so the lowest mark is always right.
    @inline(__always)
    private static func zeros(of word: UInt64) -> UInt64 { (word &- ones) & ~word & highs }
}

extension UnsafeBufferPointer<UInt8> {
    /// The index of the first `byte` from `start` on.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        #if !hasFeature(Embedded)
            while index + ByteVector.width <= count {
                let length = ByteVector(self, at: index).count(before: byte)
                index += length
                if length < ByteVector.width { return index }
            }
        #endif
        while index + ByteBlock.width <= count {
            let marks = ByteBlock(self, at: index).marks(of: byte)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += ByteBlock.width
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// The index of the first quote, backslash or control character from `start` on, or the end.
    func endOfRun(from start: Int) -> Int {
        var index = start
        #if !hasFeature(Embedded)
            while index + ByteVector.width <= count {
                let length = ByteVector(self, at: index).runLength
                index += length
                if length < ByteVector.width { return index }
            }
        #endif
        while index + ByteBlock.width <= count {
            let marks = ByteBlock(self, at: index).marksOfSpecials
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += ByteBlock.width
        }
        while index < count, !self[index].endsRun { index += 1 }
        return index
    }
}

extension UInt8 {
    /// Whether the byte must be escaped in a JSON string.
    var endsRun: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}
