/// Reads the input of the fuzzer twice: as a whole, and in pieces. Both readings must find the same.
///
/// The first byte of the input gives the size of a piece. `find` returns what it finds in `bytes`, read in pieces of
/// this size.
func expectSameInPieces(
    _ start: UnsafePointer<UInt8>?, _ count: Int, find: (_ bytes: [UInt8], _ size: Int) -> [String]
) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let bytes = Array(input[1...])
    let isSame = find(bytes, Int(input[0]) + 1) == find(bytes, bytes.count)
    precondition(isSame, "the result depends on how the bytes are split")
    return 0
}

/// Passes the bytes on in pieces, until `read` returns a fault. Returns this fault.
func readPieces<Fault>(
    of bytes: [UInt8], size: Int, _ read: (inout UnsafeRawBufferPointer) -> Fault?
) -> Fault? {
    for start in stride(from: 0, to: bytes.count, by: size) {
        // Each piece is copied, so that the sanitizer detects a read beyond its end.
        let fault = Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
            var rest = piece
            return read(&rest)
        }
        if let fault { return fault }
    }
    return nil
}
