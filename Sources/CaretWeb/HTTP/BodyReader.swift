/// Reads the body of a request, by its length or in chunks. The bytes may arrive in pieces of any size.
package struct BodyReader: Sendable {
    private enum Phase {
        /// This many bytes of a body or chunk are left.
        case content(Int, isChunk: Bool)
        case chunkSize
        case chunkEnd
        /// After the last chunk: this many bytes of the trailer are left.
        case trailer(Int)
        case end
    }

    private var phase: Phase
    private var collector = LineCollector()

    package init(_ body: RequestHead.Body) {
        phase =
            switch body {
            case .none: .end
            case .bytes(let count): count > 0 ? .content(count, isChunk: false) : .end
            case .chunked: .chunkSize
            }
    }

    /// Whether the whole body was read.
    package var isAtEnd: Bool { if case .end = phase { true } else { false } }

    /// Reads from the start of `input` up to the end of the body, and passes on each piece of content. A
    /// piece is valid only during the call.
    package mutating func read(
        _ input: inout UnsafeRawBufferPointer, _ content: (UnsafeRawBufferPointer) -> Void
    ) throws(RequestFault) {
        while true {
            switch phase {
            case .end: return
            case .content(let count, let isChunk):
                if input.isEmpty { return }
                let piece = UnsafeRawBufferPointer(rebasing: input.prefix(count))
                input = UnsafeRawBufferPointer(rebasing: input[piece.count...])
                content(piece)
                let left = count - piece.count
                phase = left > 0 ? .content(left, isChunk: isChunk) : isChunk ? .chunkEnd : .end
            case .chunkSize:
                guard let line = try line(of: &input, limit: HTTPLimits.digits + HTTPLimits.chunkExtensions)
                else {
                    return
                }
                let size = try Self.chunkSize(line)
                phase = size > 0 ? .content(size, isChunk: true) : .trailer(HTTPLimits.trailer)
            case .chunkEnd:
                guard let line = try line(of: &input, limit: 0) else { return }
                precondition(line.isEmpty, "a line that must be empty has content")
                phase = .chunkSize
            case .trailer(let left):
                guard let line = try line(of: &input, limit: left - 2) else { return }
                if line.isEmpty {
                    phase = .end
                } else {
                    _ = try Fields.Field(line)
                    phase = .trailer(left - line.count - 2)
                }
            }
        }
    }

    private mutating func line(
        of input: inout UnsafeRawBufferPointer, limit: Int
    ) throws(RequestFault) -> [UInt8]? {
        switch collector.next(of: &input, limit: limit) {
        case .line(let line): return line
        case .incomplete: return nil
        case .tooLong:
            if case .chunkEnd = phase { throw .bad("a chunk is longer than the size in its first line") }
            throw .bad("a line of the chunked body is too long")
        case .malformed: throw .bad("each line of a chunked body must end with CR LF")
        }
    }

    /// The size in a line such as `1f` or `1f;name=value`. The extensions after the semicolon are ignored.
    private static func chunkSize(_ line: [UInt8]) throws(RequestFault) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        let extensions = line[digits.endIndex...]
        guard 1...HTTPLimits.digits ~= digits.count,
            digits.allSatisfy(\.isHexDigit),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .bad("the size of a chunk must be 1 to \(HTTPLimits.digits) hexadecimal digits") }
        guard extensions.count <= HTTPLimits.chunkExtensions,
            extensions.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "\"") })
        else {
            throw .bad(
                "the extensions of a chunk contain spaces, control characters, quotes or too many bytes")
        }
        return size
    }
}
