import CaretWeb
import CaretWire
import Testing

/// Pages of other sites that may use the server.
@Suite("Pages of the sites in `web_origins`") struct CrossOriginTests {
    private static let site = "https://app.example"
    private static let fields = [
        "Access-Control-Allow-Origin: https://app.example",
        "Access-Control-Expose-Headers: ETag, Location, Retry-After, Caret-Epoch, Caret-Revision, Caret-Newline",
        "Vary: Origin",
    ]

    private func conversation() throws -> WebConversation {
        let site = try #require(AllowedSites(Self.site))
        return WebConversation(WebWorld(SiteGuard(sites: [site])))
    }

    @Test("such a page may read responses, also errors")
    func read() throws {
        let server = try conversation()
        let origin = "Origin: \(Self.site)"
        server.answers = [#"{"type":"error","code":"not_found","message":"no"}"#]
        for (line, status) in [("GET /healthz", "200"), ("GET /nothing", "404"), ("GET /docs/a", "404")] {
            let response = try server.request(line, [origin])
            #expect(response.status.hasPrefix(status))
            #expect(response.fields.filter { $0.contains("Origin") || $0.hasPrefix("Access") } == Self.fields)
        }
    }

    @Test("a browser learns which methods and fields such a page may send")
    func preflight() throws {
        let response = try conversation().request(
            "OPTIONS /docs/agenda", ["Origin: \(Self.site)", "Access-Control-Request-Method: PUT"])
        #expect(response.status == "204 No Content")
        #expect(response["Access-Control-Allow-Methods"] == "GET, HEAD, PUT, POST, DELETE, OPTIONS")
        #expect(response["Access-Control-Allow-Headers"]?.contains("If-Match") == true)
        #expect(response["Access-Control-Max-Age"] == "600")
    }

    @Test("no other request gets fields for other sites")
    func others() throws {
        let server = try conversation()
        for fields in [[], ["Origin: http://localhost"], ["Origin: https://example.org"]] {
            for line in ["GET /healthz", "OPTIONS /docs/agenda"] {
                let response = try server.request(line, fields)
                #expect(!response.fields.contains { $0.hasPrefix("Access") || $0 == "Vary: Origin" })
            }
        }
    }
}
