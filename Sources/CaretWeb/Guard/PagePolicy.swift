/// The fields that tell a browser what the server's own page may do.
///
/// They are a second defence: if somebody finds a way to put a script into the page, the browser does not run
/// it.
enum PagePolicy {
    static func add(to response: inout Response) {
        response.add("Content-Security-Policy", contentSecurity)
        response.add("Referrer-Policy", "no-referrer")
        response.add("Cross-Origin-Opener-Policy", "same-origin")
        response.add("Cross-Origin-Resource-Policy", "same-origin")
    }

    private static let contentSecurity = [
        "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self'",
        // Browsers apply this also to WebSockets of the same host and port.
        "connect-src 'self'",
        "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types caret",
    ].joined(separator: "; ")
}
