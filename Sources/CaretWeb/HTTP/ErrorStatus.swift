package import CaretWire

extension Status {
    /// The status of a response with this error.
    package init(_ code: ErrorCode) { self = Status(rawValue: code.httpStatus) ?? .internalServerError }
}

extension ErrorReport {
    /// The response with an error that the gateway found.
    func response(_ status: Status? = nil) -> Response {
        var writer = JSONWriter()
        encode(into: &writer)
        return response(writer.bytes, status)
    }

    /// The response to a request that only reads. A trimmed revision can never be read again, so the status
    /// is 410, not 409.
    func responseToRead(_ line: [UInt8]) -> Response {
        response(line, code == .known(.baseTrimmed) ? .gone : nil)
    }

    /// The response with this error. `line` is the error as a line.
    func response(_ line: [UInt8], _ status: Status? = nil) -> Response {
        let known: ErrorCode? = if case .known(let code) = code { code } else { nil }
        let status = status ?? known.map { Status($0) } ?? .internalServerError
        var response = Response(status, MediaType.json.contentType, line)
        response.addFields(known, retryAfterMilliseconds: retryAfterMilliseconds)
        if let head { response.add("ETag", EntityTag(head.epoch, head.revision).quoted(as: .text)) }
        return response
    }
}

extension Response {
    /// Adds the fields that responses with this status must have. `code` is nil if it exists only over HTTP.
    fileprivate mutating func addFields(_ code: ErrorCode?, retryAfterMilliseconds: Int?) {
        switch status {
        case .unauthorized:
            // RFC 6750: the client may get another token and try again.
            add("WWW-Authenticate", code == .tokenEnded ? "Bearer error=\"invalid_token\"" : "Bearer")
        case .tooManyRequests, .serviceUnavailable:
            add("Retry-After", "\(((retryAfterMilliseconds ?? 1_000) + 999) / 1_000)")
        default: break
        }
    }
}
