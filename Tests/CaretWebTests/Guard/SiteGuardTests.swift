import CaretWeb
import CaretWire
import Testing

@Suite("Which hosts and pages may use the server") struct SiteGuardTests {
    /// Each row has a listener, a request with its fields, and the expected status. `ok` is any status except
    /// those of the guard.
    fileprivate static let table: [(SiteGuard.Listener, String, String)] = [
        // The Host field.
        (.tcp, "GET /healthz | Host: localhost", "ok"),
        (.tcp, "GET /healthz | Host: localhost:22738", "ok"),
        (.tcp, "GET /healthz | Host: LocalHost:1", "ok"),
        (.tcp, "GET /healthz | Host: caret.localhost:22738", "ok"),
        (.tcp, "GET /healthz | Host: 127.0.0.1:22738", "ok"),
        (.tcp, "GET /healthz | Host: 127.255.0.9", "ok"),
        (.tcp, "GET /healthz | Host: [::1]:22738", "ok"),
        (.tcp, "GET /healthz | Host: [::1]", "ok"),
        (.tcp, "GET /healthz | Host: evil.example", "421"),
        (.tcp, "GET /healthz | Host: localhost.evil.example", "421"),
        (.tcp, "GET /healthz | Host: 127.0.0.1.evil.example", "421"),
        (.tcp, "GET /healthz | Host: notlocalhost", "421"),
        (.tcp, "GET /healthz | Host: 192.168.0.7", "421"),
        (.tcp, "GET /healthz | Host: 0177.0.0.1", "421"),
        (.tcp, "GET /healthz | Host: 127.1", "421"),
        (.tcp, "GET /healthz | Host: [::2]", "421"),
        (.tcp, "GET /healthz | Host: [::1", "400"),
        (.tcp, "GET /healthz | Host: localhost:", "400"),
        (.tcp, "GET /healthz | Host: localhost:0", "400"),
        (.tcp, "GET /healthz | Host: localhost:65536", "400"),
        (.tcp, "GET /healthz | Host: localhost:1:2", "400"),
        (.tcp, "GET /healthz | Host: user@localhost", "400"),
        (.tcp, "GET /healthz | Host: ", "421"),
        (.tcp, "GET /healthz | Host: localhost.", "400"),
        (.adminSocket, "GET /healthz | Host: anything", "ok"),
        // The Origin field.
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: http://localhost:7", "ok"),
        (.tcp, "GET /healthz | Host: localhost | Origin: http://localhost:80", "ok"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: http://localhost:8", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: http://127.0.0.1:7", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: https://localhost:7", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: http://evil.example", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: null", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Origin: ", "403"),
        (.tcp, "GET /healthz | Host: a.localhost:7 | Origin: http://localhost:7", "403"),
        (
            .tcp,
            "GET /healthz | Host: localhost:7 | Origin: http://localhost:7 | Origin: http://localhost:7",
            "403"
        ),
        (.tcp, "GET /ws | Host: localhost:7 | Origin: http://evil.example", "403"),
        (.adminSocket, "GET /healthz | Host: localhost:7 | Origin: http://evil.example", "ok"),
        // Requests without `Origin`: here `Sec-Fetch-Site` says which page the request comes from.
        (.tcp, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: same-origin", "ok"),
        (.tcp, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: none", "ok"),
        (.tcp, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: same-site", "403"),
        (.tcp, "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        (
            .tcp,
            "GET /healthz | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (
            .tcp, "GET / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "ok"
        ),
        (
            .tcp, "GET /d/a | Host: localhost:7 | Sec-Fetch-Site: same-site | Sec-Fetch-Mode: navigate",
            "ok"
        ),
        (
            .tcp, "HEAD / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (
            .tcp,
            "GET /d/a/b?rev=3 | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "ok"
        ),
        (.tcp, "GET / | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: cors", "403"),
        (.tcp, "GET /d/a | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: no-cors", "403"),
        (.tcp, "GET /d/a | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        (
            .tcp, "GET /docs/a | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (.tcp, "GET / | Host: evil.example | Sec-Fetch-Site: none | Sec-Fetch-Mode: navigate", "421"),
        // The page may use its own files, and other pages may not.
        (.tcp, "GET /page/app.js | Host: localhost:7 | Sec-Fetch-Site: same-origin", "ok"),
        (.tcp, "GET /manifest.json | Host: localhost:7 | Sec-Fetch-Site: same-origin", "ok"),
        (.tcp, "GET /page/app.js | Host: localhost:7 | Sec-Fetch-Site: same-site", "403"),
        (.tcp, "GET /page/app.js | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        (.tcp, "GET /manifest.json | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        (.tcp, "GET /service-worker.js | Host: localhost:7 | Sec-Fetch-Site: cross-site", "403"),
        // Only one of two values would let this page in.
        (
            .tcp,
            "GET /docs | Host: localhost:7 | Sec-Fetch-Site: same-origin | Sec-Fetch-Site: cross-site", "403"
        ),
        (
            .tcp,
            "GET /page/icon.svg | Host: localhost:7 | Sec-Fetch-Site: cross-site | Sec-Fetch-Mode: navigate",
            "403"
        ),
        (.tcp, "GET /caret.js | Host: localhost:7 | Sec-Fetch-Site: cross-site", "ok"),
        (.tcp, "GET /caret.wasm | Host: localhost:7 | Sec-Fetch-Site: cross-site", "ok"),
        (.tcp, "GET /caret-1.2.3.tgz | Host: localhost:7 | Sec-Fetch-Site: cross-site", "ok"),
        (.tcp, "GET /caret/caret.wasm | Host: localhost:7 | Sec-Fetch-Site: same-site", "ok"),
    ]

    @Test(
        "each request of the table is accepted, or refused with its status",
        arguments: SiteGuardTests.table.indices)
    func ownHosts(index: Int) {
        let (listener, request, expected) = Self.table[index]
        #expect(verdict(on: request, at: listener, SiteGuard()) == expected, "\(request)")
    }

    /// Requests to a server whose configuration has one host and one origin.
    fileprivate static let configured: [(SiteGuard.Listener, String, String)] = [
        (.tcp, "GET /healthz | Host: caret.example.org", "ok"),
        (.tcp, "GET /healthz | Host: localhost", "ok"),
        (.tcp, "GET /healthz | Host: other.example.org", "421"),
        (.tcp, "GET /healthz | Host: caret.example.org | Origin: https://caret.example.org", "ok"),
        (.tcp, "GET /healthz | Host: caret.example.org | Origin: http://caret.example.org", "ok"),
        (.tcp, "GET /healthz | Host: localhost | Origin: https://localhost", "403"),
        (.tcp, "GET /healthz | Host: localhost | Origin: https://app.example.org", "ok"),
        (.tcp, "GET /healthz | Host: localhost | Origin: https://app.example.org:444", "403"),
        (.tcp, "GET /healthz | Host: localhost | Origin: http://app.example.org", "403"),
    ]

    @Test(
        "hosts and origins from the configuration are also accepted",
        arguments: SiteGuardTests.configured.indices)
    func configuredHosts(index: Int) throws {
        let (listener, request, expected) = Self.configured[index]
        let siteGuard = SiteGuard(
            hosts: [try #require(Authority("caret.example.org"))],
            sites: [try #require(AllowedSites("https://app.example.org"))])
        #expect(verdict(on: request, at: listener, siteGuard) == expected, "\(request)")
    }

    @Test(
        "`http://localhost:*` allows pages of this machine over HTTP, under three names, and no others",
        arguments: [
            ("http://localhost", "ok"), ("http://localhost:5173", "ok"), ("http://LOCALHOST:1", "ok"),
            ("http://127.0.0.1:65535", "ok"), ("http://[::1]:8000", "ok"),
            ("https://localhost:5173", "403"), ("http://app.localhost:5173", "403"),
            ("http://127.0.0.2:1", "403"),
            ("http://[::ffff:127.0.0.1]:1", "403"), ("http://localhost.evil.example", "403"),
            ("http://evil.example", "403"), ("null", "403"), ("http://localhost:*", "403"),
            ("file://", "403"),
        ])
    func localSites(origin: String, expected: String) {
        let siteGuard = SiteGuard(sites: [.local])
        let request = "GET /healthz | Host: localhost:7 | Origin: \(origin)"
        #expect(verdict(on: request, at: .tcp, siteGuard) == expected)
        // A name of another site may point to this machine.
        let rebound = "GET /healthz | Host: evil.example | Origin: \(origin)"
        #expect(verdict(on: rebound, at: .tcp, siteGuard) == "421")
    }

    private func verdict(on request: String, at listener: SiteGuard.Listener, _ siteGuard: SiteGuard)
        -> String
    {
        let parts = request.split(separator: " | ", omittingEmptySubsequences: false)
        let head = ["\(parts[0]) HTTP/1.1"] + parts.dropFirst().map(String.init)
        let world = WebWorld(at: listener, siteGuard)
        let response = world.receive(head.joined(separator: "\r\n") + "\r\n\r\n").joined()
        let status = response.dropFirst("HTTP/1.1 ".count).prefix(3)
        // Each refusal of the guard, and no other one, is counted.
        let counted: [WebCode] = status == "421" ? [.badHost] : status == "403" ? [.badOrigin] : []
        #expect(world.counted == counted, "\(request)")
        return ["421", "403", "400"].contains(status) ? String(status) : "ok"
    }
}
