import CaretWire

/// The head of a request: what is requested, and how its body ends.
package struct RequestHead: Equatable, Sendable {
    package enum Version: Sendable {
        case http10
        case http11
    }

    package enum Body: Equatable, Sendable {
        case none
        case bytes(Int)
        case chunked
    }

    /// The method, in capital letters.
    package let method: String
    /// A path with an optional query, as sent, or `*`.
    package let target: String
    package let version: Version
    package let fields: Fields
    package let body: Body

    init(_ line: RequestLine, _ fields: Fields) throws(RequestFault) {
        method = line.method
        target = line.target
        version = line.version
        self.fields = fields
        guard fields["host"].count == 1 else {
            throw .bad("a request needs one Host, but this one has \(fields["host"].count)")
        }
        let host = String(decoding: fields["host"][0], as: UTF8.self)
        guard host.isEmpty || Authority(host) != nil else {
            throw .bad("Host must be a name or an address, with an optional port")
        }
        body = try Self.body(of: fields, version)
    }

    /// Whether the client may send another request after this one.
    package var keepsAlive: Bool { version == .http11 && !fields.hasItem("close", inList: "connection") }

    /// If a request had two lengths, a proxy in front of this server might use the other one. So a request
    /// must have only one length.
    private static func body(of fields: Fields, _ version: Version) throws(RequestFault) -> Body {
        let (codings, lengths) = (fields["transfer-encoding"], fields["content-length"])
        if !codings.isEmpty {
            guard lengths.isEmpty else {
                throw .bad("a request has Content-Length or Transfer-Encoding, not both")
            }
            guard version == .http11 else { throw .bad("HTTP/1.0 has no Transfer-Encoding") }
            guard codings.count == 1, codings[0].equals("chunked") else {
                throw .bad("Transfer-Encoding must be chunked, and nothing else")
            }
            return .chunked
        }
        if lengths.isEmpty { return .none }
        guard lengths.count == 1, 1...HTTPLimits.digits ~= lengths[0].count, lengths[0].allSatisfy(\.isDigit),
            let length = Int(String(decoding: lengths[0], as: UTF8.self))
        else { throw .bad("Content-Length must be one number of at most \(HTTPLimits.digits) digits") }
        return .bytes(length)
    }
}

/// The first line of a request, such as `GET /docs HTTP/1.1`.
struct RequestLine: Equatable, Sendable {
    let method: String
    let target: String
    let version: RequestHead.Version

    init(_ line: [UInt8]) throws(RequestFault) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .bad("the request line must be a method, a path and HTTP/1.1, with one space between them")
        }
        guard !parts[0].isEmpty, parts[0].allSatisfy({ $0.isCapital || $0 == UInt8(ascii: "-") }) else {
            throw .bad("the method must be in capital letters")
        }
        version = try Self.version(parts[2])
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
        guard parts[1].allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
            throw .bad("the target contains a character that must be percent-encoded")
        }
        guard parts[1].first == UInt8(ascii: "/") || target == "*" && method == "OPTIONS" else {
            throw .bad("the target must be a path that begins with /")
        }
    }

    private static func version(_ word: ArraySlice<UInt8>) throws(RequestFault) -> RequestHead.Version {
        switch String(decoding: word, as: UTF8.self) {
        case "HTTP/1.1": return .http11
        case "HTTP/1.0": return .http10
        case let other:
            guard other.wholeMatch(of: #/HTTP\/[0-9]\.[0-9]/#) != nil else {
                throw .bad("the request line must end with HTTP/1.1")
            }
            throw RequestFault(.unsupportedVersion, "\(other) is not supported; use HTTP/1.1")
        }
    }
}
