/// A file that the server sends to everybody, such as a part of the JavaScript client.
package struct WebFile: Equatable, Sendable {
    /// The value of the field `Content-Type`.
    package let type: String
    /// The value of the field `ETag`, with its quotes. Another content has another tag.
    package let tag: String
    package let bytes: [UInt8]

    package init(type: String, tag: String, bytes: [UInt8]) {
        self.type = type
        self.tag = tag
        self.bytes = bytes
    }

    /// `known` are the tags that the client has.
    func response(known: [[UInt8]]) -> Response {
        let isKnown = EntityTag.isKnown(tag, among: known)
        var response = isKnown ? Response(.notModified) : Response(.ok, type, bytes)
        response.add("ETag", tag)
        // A browser keeps the file, and asks at each use whether it has changed.
        response.add("Cache-Control", "no-cache")
        return response
    }
}
