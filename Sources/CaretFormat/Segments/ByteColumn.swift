/// A byte buffer for numbers. Small numbers take few bytes.
package struct ByteColumn {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    init(room: Int) { bytes.reserveCapacity(room) }

    /// Appends a varint: seven bits a byte, the lowest first. The highest bit says that more bytes follow.
    package mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Empties the column, but keeps its memory if it is small.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.count <= 4096) }

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(count: Int) { append(UInt64(count)) }

    /// Appends a zigzag varint, with 0, -1, 1, -2, … as 0, 1, 2, 3, …: small numbers of either sign take few
    /// bytes.
    mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
}

/// Reads the content of a `ByteColumn`, and checks everything it reads.
struct ByteColumnReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// The bytes that were not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func byte() throws(SegmentFault) -> UInt8 {
        if isAtEnd { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(SegmentFault) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            let bits = UInt64(byte & 0x7F)
            if shift == 63 && bits > 1 { throw .numberOutOfRange }
            number |= bits << shift
            if byte < 0x80 { return number }
        }
        throw .numberOutOfRange
    }

    /// Reads a count of at most `most`.
    mutating func count(atMost most: Int) throws(SegmentFault) -> Int {
        let number = try number()
        guard number <= UInt64(most) else { throw .numberOutOfRange }
        return Int(number)
    }

    /// Reads a zigzag varint between `-most` and `most`. The difference of two stored numbers is always in
    /// this range, and sums of numbers in this range do not overflow.
    mutating func signed() throws(SegmentFault) -> Int64 {
        let number = try number()
        let value = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
        let most: Int64 = 1 << 55
        guard (-most...most).contains(value) else { throw .numberOutOfRange }
        return value
    }

    mutating func bytes(_ count: Int) throws(SegmentFault) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - position else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

/// A run-length encoded column: each number with the count of its repeats.
struct RunColumn {
    private var column = ByteColumn()
    private var value: Int64 = 0
    private var length = 0

    mutating func append(_ number: Int64) {
        if number != value { flush() }
        value = number
        length += 1
    }

    /// Returns the bytes, including the last run.
    mutating func finished() -> [UInt8] {
        flush()
        return column.bytes
    }

    mutating func removeAll() {
        column.removeAll()
        (value, length) = (0, 0)
    }

    private mutating func flush() {
        if length == 0 { return }
        column.append(signed: value)
        column.append(count: length)
        length = 0
    }
}

/// Reads the content of a `RunColumn`.
struct RunColumnReader {
    private var column: ByteColumnReader
    private var value: Int64 = 0
    private var left = 0

    init(_ bytes: ArraySlice<UInt8>) { column = ByteColumnReader(bytes) }

    var isAtEnd: Bool { left == 0 && column.isAtEnd }

    mutating func next() throws(SegmentFault) -> Int64 {
        if left == 0 {
            value = try column.signed()
            left = try column.count(atMost: Int(Int32.max))
            if left == 0 { throw .numberOutOfRange }
        }
        left -= 1
        return value
    }
}
