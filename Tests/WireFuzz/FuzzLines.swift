/// Frames bytes in pieces: the lines must be the same as from splitting at once, up to the first that is too
/// long.
///
/// The first byte of the input is the limit of a line, the second the size of a piece.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count > 2 else { return 0 }
    let (limit, size) = (Int(input[0]) + 1, Int(input[1]) + 1)
    let bytes = Array(input[2...])
    let (wanted, isCut) = plainLines(of: bytes, limit: limit)
    var framer = LineFramer(limit: limit)
    var heard: [[UInt8]] = []
    var isTooLong = false
    for start in stride(from: 0, to: bytes.count, by: size) {
        // A copy of its own, so that reading beyond the piece is reading beyond an allocation.
        Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
            var rest = piece
            framing: while true {
                switch framer.next(of: &rest, Array.init) {
                case .line(let line): heard.append(line)
                case .incomplete: break framing
                case .tooLong:
                    isTooLong = true
                    break framing
                }
            }
            precondition(framer.begunBytes <= limit + 1, "more is held than the limit and a CR")
        }
    }
    precondition(heard == wanted, "the lines are not those of the bytes")
    precondition(isTooLong == isCut, "a line over the limit was missed, or one was made up")
    return 0
}

/// The lines up to the first that is too long, and whether there is one. The last may be incomplete.
private func plainLines(of bytes: [UInt8], limit: Int) -> ([[UInt8]], isCut: Bool) {
    var lines: [[UInt8]] = []
    let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
        let line = Array(part.last == UInt8(ascii: "\r") ? part.dropLast() : part)
        if line.count > limit || part.dropLast().count > limit { return (lines, true) }
        if number < parts.count - 1 && !line.isEmpty { lines.append(line) }
    }
    return (lines, false)
}
