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
        var reader = Reader(bytes: UnsafeRawBufferPointer(try bytes()))
        var edits: [Edit] = []
        let count = UInt32(bitPattern: try reader.number())
        // An edit has at least 12 bytes. So if the count is too high, reading stops with an error at the end
        // of the bytes.
        for index in 0..<count { edits.append(try reader.edit(Int(truncatingIfNeeded: index))) }
        try reader.finish()
        do throws(ChangeError) {
            return try Change(edits)
        } catch {
            throw Refusal(error)
        }
    }

    private func bytes() throws(Refusal) -> UnsafeBufferPointer<UInt8> {
        if count > Limits.bytes {
            throw Refusal(.tooLarge, Int32(bitPattern: count), Int32(truncatingIfNeeded: Limits.bytes))
        }
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

/// Reads the parts of an encoded change from start to end.
private struct Reader {
    let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func edit(_ edit: Int) throws(Refusal) -> Edit {
        let (start, end) = (try number(), try number())
        let text = try string(of: edit)
        if start > end { throw Refusal(.reversedRange, edit: edit, start, end) }
        if end > Limits.offset { throw Refusal(.tooLarge, end, Int32(truncatingIfNeeded: Limits.offset)) }
        do throws(TextError) {
            return try Edit(Offset(Int(start))..<Offset(Int(end)), text)
        } catch {
            throw Refusal(error, edit: edit)
        }
    }

    func finish() throws(Refusal) {
        if index != bytes.count { throw malformed }
    }

    @inline(never)
    mutating func number() throws(Refusal) -> Int32 {
        if bytes.count - index < 4 { throw malformed }
        defer { index += 4 }
        return Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: Int32.self))
    }

    private mutating func string(of edit: Int) throws(Refusal) -> String {
        let count = UInt32(bitPattern: try number())
        if count > bytes.count - index { throw malformed }
        let end = index + Int(count)
        let text = UnsafeRawBufferPointer(rebasing: bytes[index..<end]).bindMemory(to: UInt8.self)
        index = end
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: text.span))
        } catch {
            throw Refusal(.invalidUTF8(at: error.byteOffsets.lowerBound), edit: edit)
        }
    }

    private var malformed: Refusal { Refusal(.malformed, Int32(truncatingIfNeeded: index)) }
}
