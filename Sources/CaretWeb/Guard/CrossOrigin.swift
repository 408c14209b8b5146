/// The fields that let a page of another site read responses (CORS). Only the sites in `web_origins` get them.
///
/// No response allows credentials: a page adds its token itself, and a user that a proxy names never counts for it.
enum CrossOrigin {
    /// The fields of a response to this site.
    static func fields(for site: String) -> String {
        "Access-Control-Allow-Origin: \(site)\r\nAccess-Control-Expose-Headers: \(exposed)\r\nVary: Origin\r\n"
    }

    /// Adds the fields by which a browser learns what a page may send. A browser requests them with OPTIONS before
    /// it sends anything but a simple request.
    static func addPermissions(to response: inout Response, methods: String) {
        response.add("Access-Control-Allow-Methods", methods)
        response.add("Access-Control-Allow-Headers", accepted)
        response.add("Access-Control-Max-Age", "600")
    }

    private static let exposed =
        "ETag, Location, Retry-After, Caret-Epoch, Caret-Revision, Caret-Newline"
    private static let accepted =
        "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Prefer, Caret-Client, Caret-Seq, "
        + "MCP-Protocol-Version, Mcp-Method, Mcp-Name"
}
