/// A piece of a text as UTF-8 bytes, with its length in every unit: a leaf of `TextBuffer`.
///
/// Copies of a chunk share the bytes until one copy changes. The bytes are in two parts, with a gap of unused
/// space between them. The gap stays where the last edit was, so typing moves no bytes.
// @unchecked: the bytes are written only while no other chunk refers to them.
package struct Chunk: @unchecked Sendable {
    /// The maximum number of bytes in a chunk.
    package static let limit = 2 * targetSize
    /// The approximate number of bytes in a new chunk. With larger chunks, moving the gap to a distant caret
    /// copies more bytes. With smaller chunks, a search visits more of them.
    static let targetSize = 1536
    /// A chunk with fewer bytes is joined with its neighbour.
    static let minimum = 256

    /// Takes the place of a chunk that is not in its group at the moment.
    static let empty = Chunk(UTF8Bytes(start: nil, count: 0))

    /// The header is the capacity in bytes.
    private var storage: ManagedBuffer<UInt16, UInt8>
    /// The number of bytes before the gap. The gap begins at a scalar boundary.
    private var front: UInt16
    private var utf8: UInt16
    private var utf16: UInt16
    private var scalars: UInt16

    /// Makes a chunk with a copy of `bytes`. There must be at most `limit` bytes, and they must begin and end
    /// at scalar boundaries.
    init(_ bytes: UTF8Bytes) {
        storage = Chunk.makeStorage(capacity: bytes.count)
        front = UInt16(bytes.count)
        (utf8, utf16, scalars) = (0, 0, 0)
        storage.withUnsafeMutablePointerToElements { $0.copy(bytes, to: 0) }
        setLength(bytes.textLength)
    }

    package var utf8Count: Int { Int(utf8) }
    var utf16Count: Int { Int(utf16) }
    var isEmpty: Bool { utf8 == 0 }
    private var isASCII: Bool { utf8 == scalars }

    package var length: TextLength { TextLength(utf8: Int(utf8), utf16: Int(utf16), scalars: Int(scalars)) }

    /// Calls `body` with the bytes before the gap and the bytes after it. Either part can be empty.
    func withParts<Result>(_ body: (_ front: UTF8Bytes, _ back: UTF8Bytes) -> Result) -> Result {
        storage.withUnsafeMutablePointers { capacity, base in
            let front = Int(front)
            let back = utf8Count - front
            return body(
                UTF8Bytes(start: base, count: front),
                UTF8Bytes(start: base + Int(capacity.pointee) - back, count: back))
        }
    }

    /// Calls `body` with the bytes in `range`, in one or two pieces that are cut at a scalar boundary.
    func forEachPiece(of range: Range<Int>, _ body: (UTF8Bytes) -> Void) {
        withParts { front, back in
            let inFront = range.clamped(to: 0..<front.count)
            let inBack = range.clamped(to: front.count..<utf8Count)
            if !inFront.isEmpty { body(UTF8Bytes(rebasing: front[inFront])) }
            if !inBack.isEmpty {
                let start = inBack.lowerBound - front.count
                body(UTF8Bytes(rebasing: back[start..<start + inBack.count]))
            }
        }
    }

    /// Calls `body` with all bytes, in one or two pieces that are cut at a scalar boundary.
    package func forEachPiece(_ body: (UTF8Bytes) -> Void) { forEachPiece(of: 0..<utf8Count, body) }

    /// The index of the byte at which the code unit at `offset` begins; nil if the offset is inside a scalar.
    func byte(at offset: Int, in unit: CodeUnit) -> Int? {
        isASCII ? offset : byteInNonASCII(at: offset, in: unit)
    }

    private func byteInNonASCII(at offset: Int, in unit: CodeUnit) -> Int? {
        withParts { front, back in
            let units = front.textLength.count(of: unit)
            if offset <= units { return front.index(after: offset, in: unit) }
            return back.index(after: offset - units, in: unit).map { front.count + $0 }
        }
    }

    /// The length of the bytes in `range`, whose ends must be scalar boundaries.
    func length(of range: Range<Int>) -> TextLength {
        if isASCII { return TextLength(utf8: range.count, utf16: range.count, scalars: range.count) }
        return lengthInNonASCII(of: range)
    }

    private func lengthInNonASCII(of range: Range<Int>) -> TextLength {
        var length = TextLength.zero
        forEachPiece(of: range) { length += $0.textLength }
        return length
    }

    /// The result of an edit inside one chunk.
    enum Outcome {
        /// The edit is done. The chunk has grown by this length.
        case replaced(TextLength)
        /// Nothing changed: this offset is inside a scalar.
        case insideScalar(Int)
        /// Nothing changed: some of the code units to replace are in other chunks, or the chunk would become
        /// too large or too small.
        case unfit
    }

    /// Replaces the UTF-16 code units in `units` by `bytes`, whose length is `inserted`.
    mutating func replace(units: Range<Int>, with bytes: UTF8Bytes, of inserted: TextLength) -> Outcome {
        if units.upperBound > utf16Count { return .unfit }
        guard let low = byte(at: units.lowerBound, in: .utf16) else {
            return .insideScalar(units.lowerBound)
        }
        guard let high = units.isEmpty ? low : byte(at: units.upperBound, in: .utf16) else {
            return .insideScalar(units.upperBound)
        }
        let count = utf8Count - (high - low) + bytes.count
        if count > Chunk.limit || count < min(Chunk.minimum, utf8Count) { return .unfit }
        let growth = low == high ? inserted : inserted - length(of: low..<high)
        if !isKnownUniquelyReferenced(&storage) || !fitsStorage(count) { makeRoom(for: count) }
        moveGap(over: low..<high)
        storage.withUnsafeMutablePointerToElements { base in
            // Most edits insert one byte. To copy one byte, a call of `copy` would cost more than the rest of
            // this method.
            if bytes.count == 1 { base[low] = bytes[0] } else { base.copy(bytes, to: low) }
        }
        front = UInt16(truncatingIfNeeded: low + bytes.count)
        setLength(length + growth)
        return .replaced(growth)
    }

    #if !hasFeature(Embedded)
        /// Replaces the code units between `low` and `high` by no byte or by one, which is `letter`. Returns
        /// false and changes nothing if the gap is elsewhere, if a byte is not ASCII, or if `replace` must
        /// first make room or join chunks.
        @inline(__always) mutating func type(_ letter: UInt8, _ count: Int, from low: Int, to high: Int)
            -> Bool
        {
            let size = utf8Count &- (high &- low) &+ count
            guard low >= 0, low <= Int(front), Int(front) <= high, high <= utf8Count, isASCII,
                size >= Chunk.minimum || size >= utf8Count, isKnownUniquelyReferenced(&storage)
            else { return false }
            if count > 0 {
                let isWritten = storage.withUnsafeMutablePointers { capacity, base in
                    if size > Int(capacity.pointee) { return false }
                    base[low] = letter
                    return true
                }
                if !isWritten { return false }
            }
            front = UInt16(truncatingIfNeeded: low &+ count)
            utf8 = UInt16(truncatingIfNeeded: size)
            (utf16, scalars) = (utf8, utf8)
            return true
        }
    #endif

    /// Moves the gap to the start of `range`, and adds the bytes in `range` to the gap.
    private mutating func moveGap(over range: Range<Int>) {
        storage.withUnsafeMutablePointers { capacity, base in
            let front = Int(front)
            let gap = Int(capacity.pointee) - utf8Count
            if front < range.lowerBound {
                let moved = UnsafeMutableRawPointer(base + front)
                moved.copyMemory(from: base + front + gap, byteCount: range.lowerBound - front)
            } else if front > range.upperBound {
                let moved = UnsafeMutableRawPointer(base + range.upperBound + gap)
                moved.copyMemory(from: base + range.upperBound, byteCount: front - range.upperBound)
            }
        }
    }

    /// Copies the bytes to new storage that no other chunk shares. The storage has space for `count` bytes
    /// and some more, so that typing rarely causes another copy.
    private mutating func makeRoom(for count: Int) {
        let room = min(max(count, utf8Count) + count / 16 + 16, Chunk.limit)
        let moved = Chunk.makeStorage(capacity: room)
        withParts { front, back in
            moved.withUnsafeMutablePointerToElements { target in
                target.copy(front, to: 0)
                target.copy(back, to: room - back.count)
            }
        }
        storage = moved
    }

    /// Copies the bytes to smaller storage if the storage wastes much space.
    mutating func trim() {
        if !fitsStorage(utf8Count) { makeRoom(for: utf8Count) }
    }

    /// Whether the storage fits `count` bytes without wasting much space.
    private func fitsStorage(_ count: Int) -> Bool {
        let capacity = storage.withUnsafeMutablePointerToHeader { Int($0.pointee) }
        return count <= capacity && capacity <= max(count, utf8Count) + count / 4 + 64
    }

    private mutating func setLength(_ length: TextLength) {
        utf8 = UInt16(truncatingIfNeeded: length.utf8)
        utf16 = UInt16(truncatingIfNeeded: length.utf16)
        scalars = UInt16(truncatingIfNeeded: length.scalars)
    }

    private static func makeStorage(capacity: Int) -> ManagedBuffer<UInt16, UInt8> {
        ManagedBuffer<UInt16, UInt8>.create(minimumCapacity: capacity) { _ in UInt16(capacity) }
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate func copy(_ bytes: UTF8Bytes, to index: Int) {
        if let source = bytes.baseAddress { (self + index).update(from: source, count: bytes.count) }
    }
}
