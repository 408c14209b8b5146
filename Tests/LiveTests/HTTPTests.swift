import Glibc
import TestSupport
import Testing

@Suite("HTTP on the port of the line protocol", .onOwnThread) struct HTTPTests {
    @Test("/healthz answers GET with ok, and HEAD with the same fields")
    func health() throws {
        let client = try LineClient(try LiveServer())
        try client.request("GET /healthz")
        let answer = try client.response()
        #expect(answer.status == 200 && answer.body == "ok\n")
        #expect(answer.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(answer.fields["cache-control"] == "no-store")
        try client.request("HEAD /healthz")
        let head = try client.response(toHead: true)
        #expect(head.status == 200 && head.fields["content-length"] == "3")
        // The response to HEAD had no body, so the next bytes are the response to GET.
        try client.request("GET /healthz", "Connection: close")
        let last = try client.response()
        #expect(last.status == 200 && last.body == "ok\n" && last.fields["connection"] == "close")
        try client.expectEnd()
    }

    @Test("the server sends its JavaScript client in one file, at two addresses", arguments: ["", "/caret"])
    func clientFiles(folder: String) throws {
        let client = try LineClient(try LiveServer())
        let script = try client.fetch("GET \(folder)/caret.js")
        #expect(script.status == 200)
        #expect(script.fields["content-type"] == "text/javascript; charset=utf-8")
        // It imports nothing, and finds its module beside itself.
        #expect(!script.body.contains(/}from ?"|\bimport ?[("]/))
        #expect(script.body.contains(" as CaretDocument,"))
        #expect(script.body.contains(#"new URL("caret.wasm",import.meta.url)"#))
        let module = try client.fetch("HEAD \(folder)/caret.wasm")
        #expect(module.status == 200 && module.fields["content-type"] == "application/wasm")
        let tag = try #require(module.fields["etag"])
        let known = try client.fetch("HEAD \(folder)/caret.wasm", "If-None-Match: \(tag)")
        #expect(known.status == 304)
        #expect(try client.fetch("GET /caret/caret.d.ts").body.contains("export class CaretDocument"))
    }

    @Test("the server sends its page, with all files that it names")
    func page() throws {
        let server = try LiveServer()
        let page = try LineClient(server).fetch("GET /d/notes/a%20b?rev=3")
        #expect(page.status == 200 && page.fields["content-type"] == "text/html; charset=utf-8")
        let policy = try #require(page.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self' "))
        #expect(try LineClient(server).fetch("GET /").bytes == page.bytes)
        let types = [
            "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
            "png": "image/png",
            "json": "application/manifest+json", "wasm": "application/wasm",
        ]
        var (paths, found) = (paths(in: page.body), Set<String>())
        while let path = paths.popLast() {
            guard found.insert(path).inserted else { continue }
            let answer = try LineClient(server).fetch("GET \(path)", "Sec-Fetch-Site: same-origin")
            try #require(answer.status == 200, "\(path)")
            let usual = types[String(path.split(separator: ".")[1])]
            let type = path == "/page/files.json" ? "application/json" : usual
            #expect(answer.fields["content-type"] == type, "\(path)")
            // Browsers may keep exactly those files whose names change with their contents.
            let isForever = answer.fields["cache-control"] != "no-cache"
            #expect(isForever == path.contains(/-[A-Z0-9]{8}\.(js|css)$/), "\(path)")
            if !path.hasPrefix("/caret") { paths += self.paths(in: answer.body) }
        }
        // What the HTML names, and what its scripts load later.
        for name in ["start-", "late-", "app-", "chunk-", "field-layout-"] {
            #expect(found.contains { $0.hasPrefix("/page/\(name)") }, "\(name)")
        }
    }

    @Test("the list of the page's files has the digest of each file")
    func fileList() throws {
        let client = try LineClient(try LiveServer())
        let list = try client.fetch("GET /page/files.json").body
        let files = list.matches(of: #/"([^"]+)": "([0-9a-f]{40})"/#)
        #expect(files.contains { $0.1 == "/" } && files.contains { $0.1 == "/caret/caret.wasm" })
        #expect(!files.contains { $0.1 == "/service-worker.js" || $0.1 == "/page/files.json" })
        // The page has the client in its own scripts.
        #expect(!files.contains { $0.1.hasSuffix("caret.js") } && files.count < 26)
        for file in files {
            let answer = try client.fetch("HEAD \(file.1)")
            #expect(answer.status == 200 && answer.fields["etag"] == "\"\(file.2)\"", "\(file.1)")
        }
    }

    @Test("with page_token_path, the HTML names the path, and the list of files has the digest of this HTML")
    func pageTokenPath() throws {
        let usual = try LineClient(try LiveServer()).fetch("GET /")
        let server = try LiveServer(["--require-tokens": "true", "--page-token-path": "/sign-in/token"])
        let client = try LineClient(server)
        let page = try client.fetch("GET /d/notes/a")
        let element = #"<meta name="caret-token-path" content="/sign-in/token">\#n"#
        #expect(usual.body.count > 0 && page.body.replacing(element, with: "") == usual.body)
        #expect(page.body.contains("\(element)</head>"))
        let list = try client.fetch("GET /page/files.json").body
        let digest = try #require(list.firstMatch(of: #/"\/": "([0-9a-f]{40})"/#)).1
        #expect(page.fields["etag"] == "\"\(digest)\"" && page.fields["etag"] != usual.fields["etag"])
    }

    /// The paths of files that a file of the page names, such as `"/caret/caret.wasm"` or `"./late-A1B2.js"`.
    private func paths(in text: String) -> [String] {
        text.matches(of: #/["'](\.\/|\/page\/|\/caret\/|\/)([A-Za-z0-9-]+\.[a-z]+)["']/#).map {
            "\($0.1 == "./" ? "/page/" : $0.1)\($0.2)"
        }
    }

    @Test("a compressed file has the content of the file, and both have their own tag")
    func compressedFile() throws {
        let client = try LineClient(try LiveServer())
        for path in ["/", "/caret/caret.wasm", "/caret/caret.js"] {
            let plain = try client.fetch("GET \(path)")
            let compressed = try client.fetch("GET \(path)", "Accept-Encoding: gzip")
            #expect(compressed.fields["content-encoding"] == "gzip", "\(path)")
            #expect(compressed.bytes.count < plain.bytes.count, "\(path)")
            #expect(try Gzip.decompressed(compressed.bytes) == plain.bytes, "\(path)")
            for (coding, answer) in [("identity", plain), ("gzip", compressed)] {
                let tag = try #require(answer.fields["etag"])
                let known = try client.fetch(
                    "GET \(path)", "Accept-Encoding: \(coding)", "If-None-Match: \(tag)")
                #expect(known.status == 304 && known.fields["etag"] == tag, "\(path), \(coding)")
            }
        }
    }

    @Test("unknown paths get 404, and known paths with other methods 405")
    func notFound() throws {
        let client = try LineClient(try LiveServer())
        try client.request("GET /nothing")
        try expect(404, "not_found", of: client)
        try client.request("DELETE /healthz")
        let refusal = try expect(405, "bad_method", of: client)
        #expect(refusal.fields["allow"] == "GET, HEAD, OPTIONS")
        try client.request("GET /ws")
        let upgrade = try expect(426, "upgrade_required", of: client)
        #expect(upgrade.fields["upgrade"] == "websocket")
    }

    @Test(
        "requests for other hosts get 421",
        arguments: ["example.org", "127.0.0.1.example.org", "192.0.2.1", "localhost.example.org:80"])
    func foreignHost(host: String) throws {
        let client = try LineClient(try LiveServer())
        try client.request("GET /healthz", host: host)
        try expect(421, "bad_host", of: client)
    }

    @Test("requests from pages of other sites get 403, also upgrade requests")
    func foreignOrigin() throws {
        let server = try LiveServer()
        let client = try LineClient(server)
        let host = "127.0.0.1:\(server.port)"
        for field in ["Origin: https://example.org", "Origin: null", "Sec-Fetch-Site: cross-site"] {
            try client.request("GET /healthz", host: host, field)
            try expect(403, "bad_origin", of: client)
            try client.request(
                "GET /ws", host: host, field, "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
            try expect(403, "bad_origin", of: client)
        }
        try client.request("GET /healthz", host: host, "Origin: http://\(host)")
        #expect(try client.response().status == 200)
    }

    @Test(
        "/metrics counts requests that are refused because of their host or origin, and the log names the origin"
    )
    func countedRefusals() throws {
        let server = try LiveServer()
        let client = try LineClient(server)
        try client.request("GET /healthz", host: "example.org")
        try expect(421, "bad_host", of: client)
        for _ in 0..<2 {
            try client.request("GET /healthz", "Origin: https://example.org")
            try expect(403, "bad_origin", of: client)
        }
        let metrics = try client.fetch("GET /metrics").body
        #expect(metrics.contains("\ncaret_refusals_total{code=\"bad_host\"} 1\n"))
        #expect(metrics.contains("\ncaret_refusals_total{code=\"bad_origin\"} 2\n"))
        try server.waitForLog(#/ info event=origin_refused connection=\d+ origin=https:\/\/example\.org$/#)
    }

    @Test(
        "requests are answered in order, however their bytes are split",
        arguments: LineClient.WriteStyle.allCases, Transport.http)
    func keepAlive(style: LineClient.WriteStyle, transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection(style)
        for _ in 0..<2 {
            try client.request("GET /healthz")
            try client.request("GET /nothing")
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 404)
        }
    }

    @Test("line ends before a request are ignored", arguments: Transport.http)
    func lineEnds(transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection()
        try client.send(bytes: Array("\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(try client.response().status == 200)
    }

    @Test("a malformed request gets 400, and the connection closes", arguments: Transport.http)
    func malformed(transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection()
        try client.send(bytes: Array("GET /healthz HTTP/1.1\nHost: localhost\n\n".utf8))
        let refusal = try expect(400, "bad_request", of: client)
        #expect(refusal.fields["connection"] == "close")
        try client.expectEnd()
    }

    @Test("lines and HTTP are served on the same port at the same time")
    func samePort() throws {
        let server = try LiveServer()
        let (ann, browser) = (try LineClient(server), try LineClient(server))
        try ann.greet(as: "ann-client")
        try browser.request("GET /healthz")
        #expect(try browser.response().status == 200)
        try ann.send(#"{"type":"ping","id":1}"#)
        try ann.expect(#"{"type":"pong","id":1}"#)
    }

    @Test("at SIGTERM an HTTP connection without a request closes", arguments: Transport.http)
    func stopped(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let client = try server.openConnection()
        try client.request("GET /healthz")
        #expect(try client.response().status == 200)
        server.program.kill(SIGTERM)
        try client.expectEnd()
        #expect(try server.program.waitForExit().status == 0)
    }

    /// Rule H1.
    @Test("with web=false an HTTP request gets bad_json, and the connection ends")
    func withoutWeb() throws {
        let client = try LineClient(try LiveServer(["--web": "false"]))
        try client.request("GET /healthz")
        try client.expect(#"{"type":"error","code":"bad_json",…"#)
        try client.expectEnd()
    }

    /// Expects a refusal, whose body is the error object of the protocol.
    @discardableResult
    private func expect(
        _ status: Int, _ code: String, of client: LineClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> HTTPResponse {
        let response = try client.response()
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(response.fields["content-type"] == "application/json", sourceLocation: sourceLocation)
        let pattern = Pattern(#"{"type":"error","code":"\#(code)","message":"…"}"# + "\n")
        #expect(pattern.matches(response.body) != nil, "\(response.body)", sourceLocation: sourceLocation)
        return response
    }
}
