/// A file that the server sends to everybody, such as a part of its page.
package struct WebFile: Equatable, Sendable {
    package enum Kind: Sendable {
        /// A part of the server's own page. The policy of the page applies to it.
        case ofPage
        /// The same, and the file has a name that no other content has.
        case ofPageForever
        /// A part of the JavaScript client, or a client's package. Pages of other sites may load it.
        case ofClient
    }

    /// The path of the page. The paths that begin with `/d/` have the same page.
    package static let pagePath = "/"

    /// Whether a path is that of a client's package, for npm or for pip, in any version.
    static func isPackage(_ path: String) -> Bool {
        (path.hasPrefix("/caret-") && path.hasSuffix(".tgz"))
            || (path.hasPrefix("/caret_client-") && path.hasSuffix(".whl"))
    }

    private let kind: Kind
    private let type: String
    private let digest: String
    private let bytes: [UInt8]
    private let compressed: [UInt8]?

    /// `type` is the value of the field `Content-Type`. Another content must have another `digest`.
    /// `compressed` is the content compressed with gzip; nil if that would not be smaller.
    package init(_ kind: Kind, type: String, digest: String, bytes: [UInt8], compressed: [UInt8]? = nil) {
        self.kind = kind
        self.type = type
        self.digest = digest
        self.bytes = bytes
        self.compressed = compressed
    }

    /// The response to a GET request.
    func response(to head: RequestHead) -> Response {
        let compressed = ContentCoding.acceptsGzip(head.fields) ? compressed : nil
        // The two forms are different bytes, so they need different tags.
        let tag = compressed == nil ? "\"\(digest)\"" : "\"\(digest)/gzip\""
        let isKnown = EntityTag.isKnown(tag, among: EntityTag.known(to: head))
        var response = isKnown ? Response(.notModified) : Response(.ok, type, compressed ?? bytes)
        if !isKnown, compressed != nil { response.add("Content-Encoding", "gzip") }
        if self.compressed != nil { response.add("Vary", "Accept-Encoding") }
        response.add("ETag", tag)
        // With `no-cache`, a browser keeps the file, and asks at each use whether it has changed.
        response.add("Cache-Control", kind == .ofPageForever ? "max-age=31536000, immutable" : "no-cache")
        // Also with status 304: the content may be the same although a new server has another policy. The
        // browser then uses the new fields.
        if kind != .ofClient { PagePolicy.add(to: &response) }
        return response
    }
}
