import CaretCore

/// Limits of arguments. The limits keep every sum of lengths and offsets within 32 bits.
enum Limits {
    /// The maximum number of bytes of one argument. This is more than a web page can work on, and such an
    /// argument fits in memory several times.
    static let bytes = 64 << 20
    /// The largest offset, in UTF-16 code units. No string in a browser is longer.
    static let offset = 1 << 29 - 1
}

/// The bytes of one argument of a call.
struct Input {
    private let start: UnsafePointer<UInt8>?
    private let count: UInt32

    init(_ start: UnsafePointer<UInt8>?, _ count: UInt32) {
        self.start = start
        self.count = count
    }

    @inline(never)
    func text() throws(Refusal) -> TextBuffer {
        let bytes = try bytes()
        do throws(TextError) {
            return try TextBuffer(validating: bytes)
        } catch {
            throw Refusal(error)
        }
    }

    /// Reads a change, and brings it into normal form.
    @inline(never)
    func change() throws(Refusal) -> Change {
        var reader = try reader()
        let change = try reader.change()
        try reader.finish()
        return change
    }

    func reader() throws(Refusal) -> Reader { Reader(bytes: UnsafeRawBufferPointer(try bytes())) }

    private func bytes() throws(Refusal) -> UnsafeBufferPointer<UInt8> {
        if count > Limits.bytes {
            throw Refusal(.tooLarge, Int32(bitPattern: count), Int32(truncatingIfNeeded: Limits.bytes))
        }
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}
