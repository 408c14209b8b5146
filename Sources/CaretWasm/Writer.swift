import CaretCore

/// Writes an answer into newly allocated memory, which the caller frees.
struct Writer {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0

    /// Allocates space for `payload` bytes. If the answer needs more, the space grows.
    @inline(never)
    init(status: Int32 = Status.ok.rawValue, payload: Int) {
        capacity = 8 + payload
        start = .allocate(byteCount: capacity, alignment: 16)
        put(Int(status))
        put(0)
    }

    /// The address of the complete answer.
    func finish() -> Answer {
        start.storeBytes(
            of: Int32(truncatingIfNeeded: count - 8).littleEndian, toByteOffset: 4, as: Int32.self)
        return start
    }

    @inline(never)
    mutating func put(_ number: Int) {
        reserve(4)
        start.storeBytes(
            of: Int32(truncatingIfNeeded: number).littleEndian, toByteOffset: count, as: Int32.self)
        count += 4
    }

    @inline(never)
    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    private mutating func reserve(_ bytes: Int) {
        if capacity - count >= bytes { return }
        capacity = 2 * capacity + bytes
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = larger
    }
}

extension Writer {
    @inline(never)
    mutating func put(_ string: String) {
        string.withBytes { bytes in
            put(bytes.count)
            put(bytes)
        }
    }

    mutating func put(_ text: TextBuffer) { text.forEachPiece { put($0) } }

    @inline(never)
    mutating func put(_ change: Change) {
        put(change.edits.count)
        for edit in change.edits {
            put(edit.range.lowerBound.value)
            put(edit.range.upperBound.value)
            put(edit.text)
        }
    }
}
