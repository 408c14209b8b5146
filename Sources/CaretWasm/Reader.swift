import CaretCore

/// Reads the parts of encoded bytes from start to end.
struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads a change, and brings it into normal form.
    @inline(never)
    mutating func change() throws(Refusal) -> Change {
        let edits = try edits()
        do throws(ChangeError) {
            return try Change(edits)
        } catch {
            throw Refusal(error)
        }
    }

    @inline(never)
    mutating func edits() throws(Refusal) -> [Edit] {
        var edits: [Edit] = []
        let count = UInt32(bitPattern: try number())
        // An edit has at least 12 bytes. So if the count is too high, reading stops with an error at the end
        // of the bytes.
        for index in 0..<count { edits.append(try edit(Int(truncatingIfNeeded: index))) }
        return edits
    }

    private mutating func edit(_ edit: Int) throws(Refusal) -> Edit {
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

    /// Throws unless all bytes were read.
    func finish() throws(Refusal) {
        if index != bytes.count { throw malformed }
    }

    @inline(never)
    mutating func number() throws(Refusal) -> Int32 {
        if bytes.count - index < 4 { throw malformed }
        defer { index += 4 }
        return Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: Int32.self))
    }

    /// Reads a string. A refusal names the edit that the string belongs to.
    @inline(never)
    mutating func string(of edit: Int? = nil) throws(Refusal) -> String {
        let text = try block()
        guard let index = text.firstInvalidUTF8 else { return text.string }
        let fault = TextError.invalidUTF8(at: index)
        if let edit { throw Refusal(fault, edit: edit) }
        throw Refusal(fault)
    }

    /// Reads a count, and that many bytes.
    mutating func block() throws(Refusal) -> UnsafeBufferPointer<UInt8> {
        let count = UInt32(bitPattern: try number())
        if count > bytes.count - index { throw malformed }
        let end = index + Int(count)
        defer { index = end }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<end]).bindMemory(to: UInt8.self)
    }

    var malformed: Refusal { Refusal(.malformed, Int32(truncatingIfNeeded: index)) }
}
