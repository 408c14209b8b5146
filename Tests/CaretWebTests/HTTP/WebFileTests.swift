import CaretWeb
import Testing

@Suite("Files that the server sends to everybody") struct WebFileTests {
    private let server = WebConversation(
        WebWorld(files: [
            "/": WebFile(.ofPage, type: "text/html", digest: "d4", bytes: Array("<title>\n".utf8)),
            "/page/app.js": WebFile(.ofPage, type: "text/javascript", digest: "e5", bytes: [0x65]),
            "/page/app-A1B2.js": WebFile(
                .ofPageForever, type: "text/javascript", digest: "c3", bytes: [0x63]),
            "/caret.js": WebFile(
                .ofClient, type: "text/javascript", digest: "a1", bytes: Array("export {}\n".utf8),
                compressed: Array("short".utf8)),
            "/caret/caret.wasm": WebFile(
                .ofClient, type: "application/wasm", digest: "b2", bytes: [0x41, 0x42]),
        ]))

    /// The fields that all files of the page have.
    private static let policy = [
        "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
            + "img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
            + "trusted-types caret",
        "Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Resource-Policy: same-origin",
    ]

    @Test("a file is sent with its type and tag, without a member")
    func get() throws {
        let response = try server.request("GET /caret.js")
        #expect(response.status == "200 OK" && response.body == "export {}\n" && server.log == [])
        #expect(
            response.fields == [
                "Content-Type: text/javascript", "Vary: Accept-Encoding", #"ETag: "a1""#,
                "Cache-Control: no-cache",
            ])
        let module = try server.request("GET /caret/caret.wasm")
        #expect(module.body == "AB")
        #expect(
            module.fields == ["Content-Type: application/wasm", #"ETag: "b2""#, "Cache-Control: no-cache"])
    }

    @Test(
        "the page has many paths, with any query",
        arguments: [
            "/", "/?a=1&b", "/d/a", "/d/a/b%20c", "/d/%F0%9F%98%80", "/d/a%2Fb?rev=3", "/d/..", "/d/a//",
            "/d/",
        ])
    func page(path: String) throws {
        let response = try server.request("GET \(path)")
        #expect(response.status == "200 OK" && response.body == "<title>\n" && server.log == [])
        let start = ["Content-Type: text/html", #"ETag: "d4""#, "Cache-Control: no-cache"]
        #expect(response.fields == start + Self.policy)
    }

    @Test("every file of the page has the policy of the page, also with status 304")
    func pagePolicy() throws {
        let script = try server.request("GET /page/app.js")
        #expect(script.body == "e" && Array(script.fields.suffix(4)) == Self.policy)
        let known = try server.request("GET /d/a", [#"If-None-Match: "d4""#])
        #expect(known.status == "304 Not Modified" && known.body == "")
        #expect(known.fields == [#"ETag: "d4""#, "Cache-Control: no-cache"] + Self.policy)
    }

    @Test("a browser may keep a file whose name says its content for ever")
    func keptForever() throws {
        let forever = "Cache-Control: max-age=31536000, immutable"
        let script = try server.request("GET /page/app-A1B2.js")
        #expect(script.fields == ["Content-Type: text/javascript", #"ETag: "c3""#, forever] + Self.policy)
        let known = try server.request("GET /page/app-A1B2.js", [#"If-None-Match: "c3""#])
        #expect(known.status == "304 Not Modified")
        #expect(known.fields == [#"ETag: "c3""#, forever] + Self.policy)
    }

    @Test("a client that accepts gzip gets the compressed file, which has a tag of its own")
    func compressed() throws {
        let response = try server.request("GET /caret.js", ["Accept-Encoding: gzip, br"])
        #expect(response.status == "200 OK" && response.body == "short")
        #expect(
            response.fields == [
                "Content-Type: text/javascript", "Content-Encoding: gzip", "Vary: Accept-Encoding",
                #"ETag: "a1/gzip""#, "Cache-Control: no-cache",
            ])
        let plain = try server.request("GET /caret.js", ["Accept-Encoding: gzip;q=0, br"])
        #expect(plain.body == "export {}\n" && plain["ETag"] == #""a1""#)
    }

    @Test("a file that has no compressed form is sent as it is")
    func incompressible() throws {
        let response = try server.request("GET /caret/caret.wasm", ["Accept-Encoding: gzip"])
        #expect(response.body == "AB" && response["ETag"] == #""b2""#)
        #expect(response["Content-Encoding"] == nil && response["Vary"] == nil)
    }

    @Test(
        "a client that has the file gets status 304",
        arguments: [#""a1""#, #"W/"a1""#, #""x", "a1""#, "*"])
    func known(tags: String) throws {
        let response = try server.request("GET /caret.js", ["If-None-Match: \(tags)"])
        #expect(response.status == "304 Not Modified" && response.body == "")
        #expect(
            response.fields == ["Vary: Accept-Encoding", #"ETag: "a1""#, "Cache-Control: no-cache"])
    }

    @Test(
        "a client that has the compressed file gets status 304",
        arguments: [#""a1/gzip""#, #"W/"a1/gzip""#, #""a1", "a1/gzip""#, "*"])
    func knownCompressed(tags: String) throws {
        let fields = ["Accept-Encoding: gzip", "If-None-Match: \(tags)"]
        let response = try server.request("GET /caret.js", fields)
        #expect(response.status == "304 Not Modified" && response.body == "")
        #expect(
            response.fields == ["Vary: Accept-Encoding", #"ETag: "a1/gzip""#, "Cache-Control: no-cache"])
    }

    @Test(
        "a client that has another content, or the other form, gets the file",
        arguments: [
            ("", #""b2""#), ("", "a1"), ("", #""a1/json""#), ("", #""a1/gzip""#), ("gzip", #""a1""#),
            ("gzip", #""b2/gzip""#),
        ])
    func other(coding: String, tags: String) throws {
        let fields = ["Accept-Encoding: \(coding)", "If-None-Match: \(tags)"]
        let response = try server.request("GET /caret.js", fields)
        #expect(response.status == "200 OK" && response.body == (coding.isEmpty ? "export {}\n" : "short"))
    }

    @Test("HEAD has the fields of GET, and other methods are refused", arguments: ["/caret.js", "/d/a"])
    func methods(path: String) throws {
        for coding in ["identity", "gzip"] {
            let head = try server.request("HEAD \(path)", ["Accept-Encoding: \(coding)"])
            let get = try server.request("GET \(path)", ["Accept-Encoding: \(coding)"])
            #expect(head.fields == get.fields && head.body == "")
        }
        #expect(try server.request("OPTIONS \(path)")["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try server.request("PUT \(path)", body: "x").summary == "405 bad_method")
    }

    @Test(
        "there are no other files",
        arguments: [
            "/caret/", "/caret/x.js", "/caret/../caret.js", "/caret", "/page", "/page/", "/page/x.js",
            "/page/../caret.js", "/page/index.html", "/manifest.json", "/service-worker.js", "/favicon.ico",
            "/d", "/d2/a", "/caret-1.2.0.tgz", "/caret_client-1.2.0-py3-none-any.whl",
        ])
    func missing(path: String) throws {
        #expect(try server.request("GET \(path)").summary == "404 not_found")
        #expect(try server.request("OPTIONS \(path)")["Allow"] == "OPTIONS")
    }

    @Test(
        "some files are at the root",
        arguments: [
            "manifest.json", "service-worker.js", "caret.wasm", "caret-1.2.3.tgz", "caret_client-1.2.3.whl",
        ])
    func atRoot(name: String) throws {
        let file = WebFile(.ofPage, type: "text/plain", digest: "f6", bytes: [0x66])
        let server = WebConversation(WebWorld(files: ["/\(name)": file]))
        #expect(try server.request("GET /\(name)").body == "f")
    }

    @Test("a stopping server still answers a request for a file that has begun")
    func stopping() throws {
        server.send("GET /caret.js HTTP/1.1\r\n")
        server.shutDown()
        server.send("Host: localhost\r\n\r\n")
        #expect(try server.response().status == "200 OK")
    }
}
