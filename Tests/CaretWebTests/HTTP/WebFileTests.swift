import CaretWeb
import Testing

@Suite("Files that the server sends to everybody") struct WebFileTests {
    private let server = WebConversation(
        WebWorld(files: [
            "/caret.js": WebFile(type: "text/javascript", tag: #""a1""#, bytes: Array("export {}\n".utf8)),
            "/caret/caret.wasm": WebFile(type: "application/wasm", tag: #""b2""#, bytes: [0x41, 0x42]),
        ]))

    @Test("a file is sent with its type and tag, without a member")
    func get() throws {
        let response = try server.request("GET /caret.js")
        #expect(response.status == "200 OK" && response.body == "export {}\n" && server.log == [])
        #expect(
            response.fields == [
                "Content-Type: text/javascript", #"ETag: "a1""#, "Cache-Control: no-cache",
            ])
        #expect(try server.request("GET /caret/caret.wasm").body == "AB")
    }

    @Test(
        "a client that has the file gets status 304",
        arguments: [#""a1""#, #"W/"a1""#, #""x", "a1""#, "*"])
    func known(tags: String) throws {
        let response = try server.request("GET /caret.js", ["If-None-Match: \(tags)"])
        #expect(response.status == "304 Not Modified" && response.body == "")
        #expect(response["ETag"] == #""a1""#)
    }

    @Test("a client that has another content gets the file", arguments: [#""b2""#, "a1", #""a1/json""#])
    func other(tags: String) throws {
        #expect(try server.request("GET /caret.js", ["If-None-Match: \(tags)"]).status == "200 OK")
    }

    @Test("HEAD has the fields of GET, and other methods are refused")
    func methods() throws {
        let head = try server.request("HEAD /caret.js")
        #expect(try head.fields == server.request("GET /caret.js").fields && head.body == "")
        #expect(try server.request("OPTIONS /caret.js")["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try server.request("PUT /caret.js", body: "x").summary == "405 bad_method")
    }

    @Test("there are no other files", arguments: ["/caret/", "/caret/x.js", "/caret/../caret.js", "/caret"])
    func missing(path: String) throws {
        for method in ["GET", "OPTIONS"] {
            #expect(try server.request("\(method) \(path)").summary == "404 not_found")
        }
    }

    @Test("a stopping server still answers a request for a file that has begun")
    func stopping() throws {
        server.send("GET /caret.js HTTP/1.1\r\n")
        server.shutDown()
        server.send("Host: localhost\r\n\r\n")
        #expect(try server.response().status == "200 OK")
    }
}
