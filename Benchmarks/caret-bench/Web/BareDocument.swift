import CBareServer

/// The document that the bare HTTP server serves.
enum BareDocument {
    /// The path at which `caretd` serves the first document of a crowd.
    static let path = "/docs/" + Crowd.name(of: 0)

    /// What `caretd` sends with a document, besides `Date` and `Content-Length`.
    private static let fields = """
        Content-Type: text/plain; charset=utf-8\r
        ETag: "k2v9.1/1"\r
        Caret-Epoch: k2v9.1\r
        Caret-Revision: 1\r
        Caret-Newline: lf\r
        Vary: Accept\r
        Cache-Control: no-cache\r
        Content-Security-Policy: sandbox; default-src 'none'\r
        X-Content-Type-Options: nosniff\r

        """

    /// Never returns.
    static func serve(on listener: Int32) {
        var text = Array(MeasuredServer.text.utf8).map(CChar.init)
        caret_bare_serve_http(listener, path, fields, &text, text.count)
    }
}
