/// A response with its whole body.
package struct Response: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        let name: String
        let value: String
    }

    package let status: Status
    private(set) var fields: [Field] = []
    private(set) var body: [UInt8] = []
    /// Whether the body ends when the connection closes.
    private(set) var isEndless = false

    package init(_ status: Status) { self.status = status }

    /// A response with a body of this type.
    package init(_ status: Status, _ type: String, _ body: [UInt8]) {
        self.status = status
        self.body = body
        add("Content-Type", type)
    }

    /// A response of this type whose body follows later.
    init(endless type: String) {
        status = .ok
        isEndless = true
        add("Content-Type", type)
    }

    mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    func adding(_ name: String, _ value: String) -> Response {
        var response = self
        response.add(name, value)
        return response
    }

    /// The bytes to send. Responses to HEAD have the fields of the response to GET, but no body.
    func bytes(at time: Int64, to request: Recipient) -> [UInt8] {
        var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\nDate: \(HTTPDate.text(of: time))\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if status.mayHaveBody, !isEndless { head += "Content-Length: \(body.count)\r\n" }
        if request.closes { head += "Connection: close\r\n" }
        if let site = request.otherSite { head += CrossOrigin.fields(for: site) }
        head += "X-Content-Type-Options: nosniff\r\n\r\n"
        return Array(head.utf8) + (status.mayHaveBody && !request.isHead ? body : [])
    }

    /// What a response must know about its request.
    struct Recipient: Equatable, Sendable {
        var isHead: Bool
        /// Whether the connection closes after the response.
        var closes: Bool
        /// The other site whose page sent the request, and may read the response.
        var otherSite: String?
    }
}
