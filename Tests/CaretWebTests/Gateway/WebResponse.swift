/// A response, as a client reads it.
struct WebResponse: Equatable {
    /// Such as `200 OK`.
    let status: String
    /// The fields in their order, without those that all responses have.
    let fields: [String]
    let body: String

    /// The start of the field lines that all responses have. `fields` omits these lines, because their values
    /// are tested separately.
    private static let common = ["Date: ", "X-Content-Type-Options: nosniff", "Content-Length: "]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) ?? bytes.endIndex..<bytes.endIndex
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        status = String(lines[0].dropFirst("HTTP/1.1 ".count))
        fields = lines.dropFirst().map(String.init).filter { line in
            !WebResponse.common.contains { line.hasPrefix($0) }
        }
        body = String(decoding: bytes[end.upperBound...], as: UTF8.self)
    }

    /// The value of a field; nil if there is none.
    subscript(name: String) -> String? {
        fields.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    var closes: Bool { self["Connection"] == "close" }

    /// The code of the error in the body; nil if the body is no error.
    var code: String? {
        guard body.hasPrefix(#"{"type":"error""#), let start = body.firstRange(of: #""code":""#)?.upperBound
        else { return nil }
        return String(body[start...].prefix { $0 != "\"" })
    }

    /// The status number, and the code of the error in the body.
    var summary: String { "\(status.prefix(3))\(code.map { " \($0)" } ?? "")" }
}
