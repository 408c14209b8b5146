/// Reads the input as the frames of a WebSocket. The whole and the pieces must have the same messages, up to the same
/// fault, and each message must be valid UTF-8.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    expectSameInPieces(start, count, find: messages)
}

/// What the reader finds: messages and control frames, and the first fault.
private func messages(in bytes: [UInt8], pieces size: Int) -> [String] {
    var reader = FrameReader()
    var (found, content): ([String], [UInt8]) = ([], [])
    let fault = readPieces(of: bytes, size: size) { rest -> FrameFault? in
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
            return nil
        } catch {
            return error
        }
    }
    return found + [fault.map { "fault \($0)" } ?? "\(content)"]
}
