// Conversion of line breaks: CR LF and CR become LF. The server does the same in a push of a full text.
extension String {
    package var hasCarriageReturn: Bool { utf8.contains(UInt8(ascii: "\r")) }

    package var withLineFeeds: String {
        if !hasCarriageReturn { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var last: UInt8 = 0
        for byte in utf8 {
            if byte != UInt8(ascii: "\n") || last != UInt8(ascii: "\r") {
                bytes.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
            }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TextBuffer {
    /// The text of a string, with line breaks converted to LF.
    package init(normalizing string: String) {
        do throws(TextError) {
            try self.init(string.withLineFeeds)
        } catch {
            preconditionFailure("a string with LF line breaks is not a valid text: \(error)")
        }
    }
}
