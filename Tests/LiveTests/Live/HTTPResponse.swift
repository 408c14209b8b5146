import Testing

/// A response to an HTTP request.
struct HTTPResponse {
    let status: Int
    /// The header fields. Their names are in lower-case letters.
    let fields: [String: String]
    let bytes: [UInt8]

    var body: String { String(decoding: bytes, as: UTF8.self) }

    /// The version of a document that the response names, such as `k2v9.1/7`.
    var version: String { fields["etag", default: ""].replacing("\"", with: "") }

    /// The error code in the body; nil if there is none.
    var code: String? { body.firstMatch(of: /"code":"([a-z_]+)"/).map { String($0.1) } }
}

extension LineClient {
    /// Sends a request with a body, and reads the response.
    @discardableResult
    func fetch(_ line: String, _ fields: String..., body: String = "") throws -> HTTPResponse {
        try send(line, fields, body: body)
        return try response(toHead: line.hasPrefix("HEAD "))
    }

    /// Sends the head of a request, and waits until the server reads the body.
    func beginBody(_ line: String, _ fields: String..., length: Int) throws {
        let lines =
            ["\(line) HTTP/1.1", "Host: localhost"] + fields
            + ["Content-Length: \(length)", "Expect: 100-continue"]
        try send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        let answer = [try next(), try next()]
        try #require(answer == ["HTTP/1.1 100 Continue\r", "\r"], "\(answer)")
    }

    /// Sends a request with a body, and does not wait for the response.
    func send(_ line: String, _ fields: [String], body: String) throws {
        let length = "Content-Length: \(body.utf8.count)"
        let lines = ["\(line) HTTP/1.1", "Host: localhost"] + fields + [length]
        try send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    }

    /// Sends the head of a request: its first line, `Host`, and these fields.
    func request(_ line: String, host: String = "localhost", _ fields: String...) throws {
        let lines = ["\(line) HTTP/1.1", "Host: \(host)"] + fields
        try send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    /// Reads the next response. A response to HEAD has no body.
    func response(toHead: Bool = false) throws -> HTTPResponse {
        var lines: [String] = []
        while true {
            let line = try #require(try next(), "the connection ended inside a head: \(lines)")
            try #require(line.hasSuffix("\r"), "a line of a head ends without CR: \(line)")
            if line == "\r" { break }
            lines.append(String(line.dropLast()))
        }
        let words = lines.first?.split(separator: " ") ?? []
        try #require(words.count > 1 && words[0] == "HTTP/1.1", "\(lines)")
        let status = try #require(Int(words[1]), "\(lines)")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let (name, value) = try #require(line.parts(around: ": "), "\(line)")
            fields[name.lowercased()] = value
        }
        let count = try #require(toHead ? 0 : Int(fields["content-length"] ?? "0"), "\(lines)")
        let body = try #require(try next(bytes: count), "the connection ended inside a body")
        return HTTPResponse(status: status, fields: fields, bytes: Array(body))
    }
}
