/// Passes bytes to the line framer in pieces. Up to the first line that is too long, the framer must return
/// the same lines as a simple split of all bytes.
///
/// The first byte of the input gives the limit of a line. The second byte gives the size of a piece.
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
        // Each piece is copied, so that the sanitizer detects a read beyond its end.
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
            precondition(
                framer.incompleteBytes <= limit + 1, "the framer buffers more than its limit and a CR")
        }
    }
    precondition(heard == wanted, "the lines differ from the lines of the whole input")
    precondition(isTooLong == isCut, "the framer missed a line over the limit, or refused a valid line")
    return 0
}

/// The lines up to the first that is too long, and whether a line is too long. The last line may be
/// incomplete.
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
