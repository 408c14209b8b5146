package import CaretCore
package import CaretLog
import CaretWire

/// Encodes a long text in slices.
package struct TextForms: Sendable {
    private let text: TextBuffer
    private let lineBreak: LineBreak
    /// How many bytes of the text are encoded.
    private var position = 0
    private var utf8: [[UInt8]] = []
    private var kept: [[UInt8]] = []
    private var escaped: [[UInt8]] = []

    package init(_ text: TextBuffer, _ lineBreak: LineBreak) {
        (self.text, self.lineBreak) = (text, lineBreak)
    }

    package var isComplete: Bool { position == text.length.utf8 }

    /// The most bytes of all forms together.
    package var mostBytes: Int {
        text.length.utf8 * (1 + WireString.mostEscape + (lineBreak == .crlf ? 2 : 0))
    }

    /// Encodes the next bytes, at most `count`.
    package mutating func encode(_ count: Int) {
        let end = min(position + count, text.length.utf8)
        let slice = text.bytes(in: position..<end)
        position = end
        var writer = JSONWriter()
        writer.appendEscaped(slice)
        escaped.append(writer.bytes)
        if lineBreak == .crlf { kept.append(TextForms.withCRLF(slice)) }
        utf8.append(slice)
    }

    /// The text, all of which must be encoded.
    package func joined(meter: (any PayloadMeter)? = nil) -> EncodedText {
        precondition(isComplete, "\(position) of \(text.length.utf8) bytes are encoded")
        let plain = Payload(joining: utf8, meter)
        let kept = lineBreak == .crlf ? Payload(joining: kept, beside: plain, meter) : plain
        return EncodedText(utf8: plain, kept: kept, escaped: Payload(joining: escaped, beside: kept, meter))
    }

    /// The text with CR LF for each LF.
    package static func withCRLF<Bytes: Collection<UInt8>>(_ text: Bytes) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 16)
        for byte in text {
            if byte == UInt8(ascii: "\n") { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
        }
        return result
    }
}

extension Payload {
    fileprivate convenience init(
        joining slices: [[UInt8]], beside sibling: Payload? = nil, _ meter: (any PayloadMeter)?
    ) {
        self.init(byteCount: slices.reduce(0) { $0 + $1.count }, beside: sibling, meter: meter) { memory in
            var start = 0
            for slice in slices {
                UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyBytes(from: slice)
                start += slice.count
            }
        }
    }
}
