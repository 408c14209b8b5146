import CaretRooms

/// A response, with its body unless the body follows later.
package struct Response: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        let name: String
        let value: String
    }

    package let status: Status
    private(set) var fields: [Field] = []
    /// The pieces of the body, in order. Several responses may share a long piece.
    private(set) var body: [OutputPiece] = []
    private(set) var framing = Framing.length

    /// How the client finds the end of the body.
    enum Framing: Sendable {
        /// The response says how long its body is.
        case length
        /// The body is sent in chunks, and the last chunk is empty.
        case chunks
        /// The body ends when the connection closes.
        case end
    }

    package init(_ status: Status) { self.status = status }

    /// A response with a body of this type.
    package init(_ status: Status, _ type: String, _ body: [UInt8]) {
        self.init(status, type, [.bytes(body)])
    }

    /// A response with a body of this type, in pieces.
    init(_ status: Status, _ type: String, _ body: [OutputPiece]) {
        self.status = status
        self.body = body
        add("Content-Type", type)
    }

    /// A response of this type whose body follows later.
    init(endless type: String) {
        status = .ok
        framing = .end
        add("Content-Type", type)
    }

    /// A response of this type whose body follows in parts.
    init(partsOf type: String) {
        status = .ok
        framing = .chunks
        add("Content-Type", type)
    }

    /// A part of a body that is sent in chunks.
    static func chunk(_ part: [UInt8], isLast: Bool) -> [UInt8] {
        // An empty chunk would end the body.
        let chunk = part.isEmpty ? [] : Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
        return isLast ? chunk + Array("0\r\n\r\n".utf8) : chunk
    }

    mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    func adding(_ name: String, _ value: String) -> Response {
        var response = self
        response.add(name, value)
        return response
    }

    /// The bytes to send. Responses to HEAD have the fields of the response to GET, but no body.
    package func bytes(at time: Int64, to request: Recipient) -> [UInt8] {
        body(to: request).reduce(into: head(at: time, to: request)) { bytes, piece in
            switch piece {
            case .bytes(let part): bytes += part
            case .shared(let payload): bytes += payload.bytes
            }
        }
    }

    /// The bytes to send before the body.
    func head(at time: Int64, to request: Recipient) -> [UInt8] {
        // Appending to an array is several times faster than building a string.
        var head: [UInt8] = []
        head.reserveCapacity(Response.typicalHead)
        func add(_ name: String, _ value: String) {
            head.append(name)
            head.append(": ")
            let start = head.count
            head.append(value)
            // A line break in a value would begin another field, or even another response.
            for index in start..<head.count where head[index].isControl { head[index] = UInt8(ascii: " ") }
            head.append("\r\n")
        }
        head.append("HTTP/1.1 ")
        head.append(String(status.rawValue))
        head.append(" ")
        head.append(status.phrase)
        head.append("\r\nDate: ")
        HTTPDate.append(time, to: &head)
        head.append("\r\n")
        for field in fields { add(field.name, field.value) }
        switch framing {
        case .length:
            if status.mayHaveBody { add("Content-Length", String(bodyLength)) }
        case .chunks: add("Transfer-Encoding", "chunked")
        case .end: break
        }
        if request.closes { add("Connection", "close") }
        if let site = request.otherSite { head.append(CrossOrigin.fields(for: site)) }
        head.append("X-Content-Type-Options: nosniff\r\n\r\n")
        return head
    }

    /// Most heads are shorter.
    private static let typicalHead = 512

    var bodyLength: Int { body.reduce(0) { $0 + $1.count } }

    /// The pieces to send after the head.
    func body(to request: Recipient) -> [OutputPiece] { status.mayHaveBody && !request.isHead ? body : [] }

    /// What a response must know about its request.
    package struct Recipient: Equatable, Sendable {
        var isHead: Bool
        /// Whether the connection closes after the response.
        var closes: Bool
        /// The other site whose page sent the request, and may read the response.
        var otherSite: String?

        package init(isHead: Bool, closes: Bool, otherSite: String? = nil) {
            self.isHead = isHead
            self.closes = closes
            self.otherSite = otherSite
        }
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of a string.
    mutating func append(_ text: String) {
        // This is faster than appending `utf8` itself. It copies all bytes at once.
        if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
            append(contentsOf: text.utf8)
        }
    }
}
