/// Collects the bytes of a line, which must end with CR LF. The bytes may arrive in pieces of any size.
struct LineCollector: Sendable {
    enum Reading {
        /// A line without its line end.
        case line([UInt8])
        /// All bytes were read, and the line is not complete.
        case incomplete
        /// The line has more bytes than the limit.
        case tooLong
        /// The line ends with LF alone, or contains another CR or a NUL.
        case malformed
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []

    /// Whether no byte of the line has been read.
    var isEmpty: Bool { bytes.isEmpty }

    /// Reads from the start of `input` up to the end of the line.
    mutating func next(of input: inout UnsafeRawBufferPointer, limit: Int) -> Reading {
        let end = input.firstIndex(of: Self.lineFeed)
        // Bytes beyond the limit are not collected.
        let piece = input[..<(end ?? input.endIndex)].prefix(max(0, limit + 2 - bytes.count))
        bytes += piece
        let length = bytes.last == Self.carriageReturn ? bytes.count - 1 : bytes.count
        if length > limit { return .tooLong }
        guard let end else {
            input = UnsafeRawBufferPointer(rebasing: input[input.endIndex...])
            return .incomplete
        }
        input = UnsafeRawBufferPointer(rebasing: input[(end + 1)...])
        var line: [UInt8] = []
        swap(&line, &bytes)
        guard line.popLast() == Self.carriageReturn, !line.contains(Self.carriageReturn), !line.contains(0)
        else { return .malformed }
        return .line(line)
    }
}
