import CaretWire

/// Reads the input as requests with their bodies. The whole and the pieces must have the same requests, up to the same
/// fault.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    expectSameInPieces(start, count, find: requests)
}

/// What the readers find: each head and body, and the first fault.
private func requests(in bytes: [UInt8], pieces size: Int) -> [String] {
    var (head, body) = (RequestReader(), BodyReader(.none))
    var (found, content): ([String], [UInt8]) = ([], [])
    let fault = readPieces(of: bytes, size: size) { rest -> RequestFault? in
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
            return nil
        } catch {
            return error
        }
    }
    if let fault { return found + ["fault \(fault)"] }
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
