import CaretWire

/// Reads the input as requests with their bodies: once as a whole, and once in pieces. Both readings must find
/// the same requests, up to the same fault.
///
/// The first byte of the input gives the size of a piece.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let bytes = Array(input[1...])
    let whole = requests(in: bytes, pieces: bytes.count)
    let parts = requests(in: bytes, pieces: Int(input[0]) + 1)
    precondition(parts == whole, "the requests depend on how the bytes are split")
    return 0
}

/// What the readers find: each head and body, and the first fault.
private func requests(in bytes: [UInt8], pieces size: Int) -> [String] {
    var (head, body) = (RequestReader(), BodyReader(.none))
    var (found, content): ([String], [UInt8]) = ([], [])
    for start in stride(from: 0, to: bytes.count, by: size) {
        // Each piece is copied, so that the sanitizer detects a read beyond its end.
        let fault = Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
            var rest = piece
            do throws(RequestFault) {
                while !rest.isEmpty {
                    if body.isAtEnd {
                        guard let next = try head.next(of: &rest) else { break }
                        found.append(description(of: next))
                        body = BodyReader(next.body)
                        content = []
                    } else {
                        try body.read(&rest) { content += $0 }
                        if body.isAtEnd { found.append("body \(content)") }
                    }
                }
                return nil as RequestFault?
            } catch {
                return error
            }
        }
        if let fault { return found + ["fault \(fault)"] }
    }
    return found + ["\(body.isAtEnd) \(head.hasBegun) \(body.isAtEnd ? [] : content)"]
}

/// The head, with everything that the server reads from it.
private func description(of head: RequestHead) -> String {
    var words = ["\(head)", "\(head.keepsAlive)"]
    do throws(RequestFault) {
        let target = try RequestTarget(head.target)
        words += [target.path] + target.names.map { "\($0)=\(target[$0] ?? "")" }
    } catch {
        words.append("fault \(error)")
    }
    let types = MediaType.preferred(by: head.fields, among: MediaType.allCases)
    words += ["\(types.map(\.rawValue) ?? "")", "\(EntityTag.known(to: head))"]
    words += head.fields["if-match"].map { EntityTag(quoted: $0).map { "\($0)" } ?? "no tag" }
    return words.joined(separator: " ")
}
