/// Reads the input as the frames of a WebSocket: once as a whole, and once in pieces. Both readings must find
/// the same messages, up to the same fault, and each message must be valid UTF-8.
///
/// The first byte of the input gives the size of a piece.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let bytes = Array(input[1...])
    let whole = messages(in: bytes, pieces: bytes.count)
    let parts = messages(in: bytes, pieces: Int(input[0]) + 1)
    precondition(parts == whole, "the messages depend on how the bytes are split")
    return 0
}

/// What the reader finds: messages and control frames, and the first fault.
private func messages(in bytes: [UInt8], pieces size: Int) -> [String] {
    var reader = FrameReader()
    var (found, content): ([String], [UInt8]) = ([], [])
    for start in stride(from: 0, to: bytes.count, by: size) {
        // Each piece is copied, so that the sanitizer detects a read beyond its end.
        let fault = Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
            var rest = piece
            do throws(FrameFault) {
                while let event = try reader.next(of: &rest) {
                    switch event {
                    case .content(let part): content += part
                    case .messageEnd:
                        precondition(String(validating: content, as: UTF8.self) != nil, "invalid UTF-8")
                        found.append("message \(content)")
                        content = []
                    case .ping, .pong, .close: found.append("\(event)")
                    }
                }
                return nil as FrameFault?
            } catch {
                return error
            }
        }
        if let fault { return found + ["fault \(fault)"] }
    }
    return found + ["\(content)"]
}
