import CaretWeb
import Testing

@Suite("Which hosts and pages may use the server") struct SiteGuardTests {
    /// Requests as a method, a path and fields. `ok` is any status except those of the guard.
    fileprivate static let table: [(SiteGuard.Listener, String, String)] = [
        // The Host field.
        (.loopback, "GET /healthz | Host: localhost", "ok"),
        (.loopback, "GET /healthz | Host: localhost:22738", "ok"),
        (.loopback, "GET /healthz | Host: LocalHost:1", "ok"),
        (.loopback, "GET /healthz | Host: caret.localhost:22738", "ok"),
        (.loopback, "GET /healthz | Host: 127.0.0.1:22738", "ok"),
        (.loopback, "GET /healthz | Host: 127.255.0.9", "ok"),
        (.loopback, "GET /healthz | Host: [::1]:22738", "ok"),
        (.loopback, "GET /healthz | Host: [::1]", "ok"),
        (.loopback, "GET /healthz | Host: evil.example", "421"),
        (.loopback, "GET /healthz | Host: localhost.evil.example", "421"),
        (.loopback, "GET /healthz | Host: 127.0.0.1.evil.example", "421"),
        (.loopback, "GET /healthz | Host: notlocalhost", "421"),
        (.loopback, "GET /healthz | Host: 192.168.0.7", "421"),
        (.loopback, "GET /healthz | Host: 0177.0.0.1", "421"),
        (.loopback, "GET /healthz | Host: 127.1", "421"),
        (.loopback, "GET /healthz | Host: [::2]", "421"),
        (.loopback, "GET /healthz | Host: [::1", "421"),
        (.loopback, "GET /healthz | Host: localhost:", "421"),
        (.loopback, "GET /healthz | Host: localhost:0", "421"),
        (.loopback, "GET /healthz | Host: localhost:65536", "421"),
        (.loopback, "GET /healthz | Host: localhost:1:2", "421"),
        (.loopback, "GET /healthz | Host: user@localhost", "421"),
        (.loopback, "GET /healthz | Host: ", "421"),
        (.loopback, "GET /healthz | Host: localhost.", "421"),
        (.network(needsTokens: false), "GET /healthz | Host: 192.168.0.7:22738", "ok"),
        (.network(needsTokens: false), "GET /healthz | Host: [fd00::7]", "ok"),
        (.network(needsTokens: false), "GET /healthz | Host: localhost", "ok"),
        (.network(needsTokens: false), "GET /healthz | Host: evil.example", "421"),
        (.network(needsTokens: true), "GET /healthz | Host: caret.example.org", "ok"),
        (.adminSocket, "GET /healthz | Host: anything", "ok"),
        // The Origin field.
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: http://localhost:7", "ok"),
        (.loopback, "GET /healthz | Host: localhost | Origin: http://localhost:80", "ok"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: http://localhost:8", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: http://127.0.0.1:7", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: https://localhost:7", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: http://evil.example", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: null", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Origin: ", "403"),
        (.loopback, "GET /healthz | Host: a.localhost:7 | Origin: http://localhost:7", "403"),
        (
            .loopback,
            "GET /healthz | Host: localhost:7 | Origin: http://localhost:7 | Origin: http://localhost:7",
            "403"
        ),
        (.loopback, "GET /ws | Host: localhost:7 | Origin: http://evil.example", "403"),
        (.adminSocket, "GET /healthz | Host: localhost:7 | Origin: http://evil.example", "ok"),
        (.network(needsTokens: true), "GET /healthz | Host: a.example | Origin: http://b.example", "403"),
        // Without Origin, what a browser says about the page.
        (.loopback, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: same-origin", "ok"),
        (.loopback, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: none", "ok"),
        (.loopback, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: same-site", "403"),
        (.loopback, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        (
            .loopback,
            "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (
            .loopback, "GET / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "ok"
        ),
        (
            .loopback, "GET /d/a | Host: localhost:7 | Sec-Fetch-Site: same-site | Sec-Fetch-Mode: navigate",
            "ok"
        ),
        (
            .loopback, "HEAD / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (.loopback, "GET / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: cors", "403"),
        (.loopback, "GET /caret.js | Host: localhost:7 | Sec-Fetch-Site: cross-site", "ok"),
        (.loopback, "GET /caret.wasm | Host: localhost:7 | Sec-Fetch-Site: same-site", "ok"),
    ]

    @Test("each request is let in, or refused with its status", arguments: SiteGuardTests.table.indices)
    func ownHosts(index: Int) {
        let (listener, request, expected) = Self.table[index]
        #expect(verdict(on: request, at: listener, .ownHosts) == expected, "\(request)")
    }

    /// With one host and one origin in the configuration.
    fileprivate static let configured: [(SiteGuard.Listener, String, String)] = [
        (.loopback, "GET /healthz | Host: caret.example.org", "ok"),
        (.loopback, "GET /healthz | Host: localhost", "ok"),
        (.loopback, "GET /healthz | Host: other.example.org", "421"),
        (.network(needsTokens: true), "GET /healthz | Host: CARET.example.org:8443", "ok"),
        (.network(needsTokens: true), "GET /healthz | Host: other.example.org", "421"),
        (.network(needsTokens: false), "GET /healthz | Host: 192.168.0.7", "421"),
        (.loopback, "GET /healthz | Host: caret.example.org | Origin: https://caret.example.org", "ok"),
        (.loopback, "GET /healthz | Host: caret.example.org | Origin: http://caret.example.org", "ok"),
        (.loopback, "GET /healthz | Host: localhost | Origin: https://localhost", "403"),
        (.loopback, "GET /healthz | Host: localhost | Origin: https://app.example.org", "ok"),
        (.loopback, "GET /healthz | Host: localhost | Origin: https://app.example.org:444", "403"),
        (.loopback, "GET /healthz | Host: localhost | Origin: http://app.example.org", "403"),
    ]

    @Test(
        "hosts and origins of the configuration are let in too", arguments: SiteGuardTests.configured.indices)
    func configuredHosts(index: Int) throws {
        let (listener, request, expected) = Self.configured[index]
        let siteGuard = try #require(
            SiteGuard(hosts: ["caret.example.org"], origins: ["https://app.example.org"]))
        #expect(verdict(on: request, at: listener, siteGuard) == expected, "\(request)")
    }

    @Test("a host with a port, or an origin without a scheme, is not a valid configuration")
    func invalid() {
        #expect(SiteGuard(hosts: ["a.example:80"], origins: []) == nil)
        #expect(SiteGuard(hosts: ["a b"], origins: []) == nil)
        #expect(SiteGuard(hosts: [], origins: ["a.example"]) == nil)
        #expect(SiteGuard(hosts: [], origins: ["ftp://a.example"]) == nil)
        #expect(SiteGuard(hosts: [], origins: ["https://a.example/"]) == nil)
    }

    private func verdict(on request: String, at listener: SiteGuard.Listener, _ siteGuard: SiteGuard)
        -> String
    {
        let parts = request.split(separator: " | ", omittingEmptySubsequences: false)
        let head = ["\(parts[0]) HTTP/1.1"] + parts.dropFirst().map(String.init)
        let world = WebWorld(at: listener, siteGuard)
        let response = world.receive(head.joined(separator: "\r\n") + "\r\n\r\n").joined()
        let status = response.dropFirst("HTTP/1.1 ".count).prefix(3)
        return ["421", "403"].contains(status) ? String(status) : "ok"
    }
}
