import Testing

@Suite("Documents over HTTP with tokens", .onOwnThread) struct HTTPTokenTests {
    private let server: LiveServer
    private let admin: LineClient

    init() throws {
        server = try LiveServer(["--require-tokens": "true", "--share-links": "true"])
        admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"push","doc":"notes/a","base":0,"seq":1,"text":"secret","create":true}"#)
        try admin.expect(#"{"type":"ack","doc":"notes/a","seq":1,…"rev":1,…"#)
    }

    /// Adds a token, and returns its number and the field that contains it.
    private func token(of user: String, _ rights: String, _ prefix: String) throws -> (Int, String) {
        let grant = #"{"rights":"\#(rights)","prefix":"\#(prefix)"}"#
        try admin.send(#"{"type":"add_token","user":"\#(user)","grants":[\#(grant)]}"#)
        let pattern = Pattern(#"{"type":"token_added","number":⟨number⟩,"token":"⟨token⟩"}"#)
        let parts = try #require(pattern.matches(try admin.next() ?? ""))
        let number = try #require(Int(parts["number", default: ""]))
        return (number, "Authorization: Bearer \(parts["token", default: ""])")
    }

    /// Rule H5.
    @Test("a request without a valid token gets 401, and the next one may have one")
    func unauthorized() throws {
        let (_, ann) = try token(of: "ann", "read", "notes/")
        let client = try LineClient(server)
        let wrong = ["X: 1", "Authorization: Bearer caret_1_x", "Authorization: Basic YW5uOng=", ann + "x"]
        for field in wrong {
            for request in ["GET /docs/notes/a", "GET /docs/b", "GET /docs", "DELETE /docs/notes/a"] {
                let refusal = try client.fetch(request, field)
                #expect(refusal.status == 401 && refusal.code == "unauthorized", "\(field)")
                #expect(refusal.fields["www-authenticate"] == "Bearer")
            }
        }
        #expect(try client.fetch("GET /docs/notes/a", ann).body == "secret")
        // A token is valid only for the request that contains it, not for later requests on the connection.
        #expect(try client.fetch("GET /docs/notes/a").status == 401)
    }

    @Test("an assistant has the rights of its token")
    func assistant() throws {
        let (_, reader) = try token(of: "reader", "read", "notes/")
        let (_, writer) = try token(of: "writer", "write", "notes/")
        func call(_ tool: String, _ arguments: String, _ token: String = "X: 1") throws -> HTTPResponse {
            let parameters = #"{"name":"\#(tool)","arguments":\#(arguments)}"#
            return try LineClient(server).fetch(
                "POST /mcp", token,
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":\#(parameters)}"#)
        }
        #expect(try call("list_documents", "{}").status == 401)
        #expect(try call("list_documents", "{}", reader).body.contains("notes/a  revision 1, 6 characters"))
        let edit = #"{"name":"notes/a","old_text":"secret","new_text":"open"}"#
        #expect(
            try call("edit_document", edit, reader).body.contains("(forbidden)\\nask the user for a token"))
        #expect(
            try call("read_document", #"{"name":"else/b"}"#, reader).body.contains(
                #"(not_found)\nlist_documents"#))
        #expect(try call("edit_document", edit, writer).body.contains("notes/a: saved as revision 2"))
        let seen = try call("wait_for_changes", #"{"name":"notes/a","after_revision":1}"#, reader).body
        #expect(seen.contains(#"What changed since revision 1:"#) && seen.contains(#"+open"#))
        let history = try call("document_history", #"{"name":"notes/a"}"#, reader).body
        #expect(history.contains("UTC  writer  +4 -6"))
    }

    /// Rules R1 to R4.
    @Test("requests of users with different rights can follow each other")
    func rights() throws {
        let (_, ann) = try token(of: "ann", "write", "notes/")
        let (_, bob) = try token(of: "bob", "read", "notes/")
        let (_, eve) = try token(of: "eve", "write", "else/")
        var client = try LineClient(server)
        let requests = [
            ("GET /docs/notes/a", "X: 1", [200, 200, 404]),
            ("PUT /docs/notes/a", "If-Match: *", [204, 403, 404]),
            ("POST /append/notes/a", "X: 1", [200, 403, 404]),
            ("GET /history/notes/a", "X: 1", [200, 200, 404]),
            ("GET /docs/notes/missing", "X: 1", [404, 404, 404]),
            ("PUT /docs/notes/new", "If-None-Match: *", [201, 403, 404]),
            ("POST /rename/notes/new?to=notes/newer", "X: 1", [200, 403, 404]),
            ("POST /rename/notes/newer?to=else/newer", "X: 1", [403, 403, 404]),
            ("DELETE /docs/notes/newer", "X: 1", [204, 403, 404]),
        ]
        for (request, field, statuses) in requests {
            // Ann sends each request last, because her request succeeds and may rename or delete the
            // document.
            for (user, status) in zip([eve, bob, ann], statuses.reversed()) {
                let hasBody = request.hasPrefix("PUT") || request.contains("append")
                let answer = try client.fetch(request, user, field, body: hasBody ? "x" : "")
                #expect(answer.status == status, "\(request): \(answer)")
                #expect(answer.code == [403: "forbidden", 404: "not_found"][status])
                if answer.fields["connection"] == "close" { client = try LineClient(server) }
            }
        }
        let history = try client.fetch("GET /history/notes/a?after=1", bob)
        #expect(history.body.contains(#""user":"ann""#) && !history.body.contains(#""user":"bob""#))
        #expect(try client.fetch("GET /docs", eve).body == #"{"type":"listed","docs":[]}"# + "\n")
    }

    /// Rules R8 to R10.
    @Test("who may write a document makes, lists and ends links to it")
    func links() throws {
        let (_, ann) = try token(of: "ann", "write", "notes/")
        let client = try LineClient(server)
        let made = try client.fetch("POST /links/notes/a?rights=read&seconds=60", ann)
        #expect(
            made.status == 200 && made.body.hasPrefix(#"{"type":"token_added","number":2,"token":"caret_2_"#))
        let text = try #require(made.body.split(separator: #""token":""#).last?.split(separator: "\"").first)
        let link = "Authorization: Bearer \(text)"
        #expect(try client.fetch("GET /docs/notes/a", link).body == "secret")
        #expect(try client.fetch("GET /docs", link).body.contains(#""doc":"notes/a""#))
        #expect(try client.fetch("PUT /docs/notes/a", link, "If-Match: *", body: "x").status == 403)
        let listed = try client.fetch("GET /links/notes/a?limit=1", ann)
        #expect(
            listed.body.hasPrefix(#"{"type":"tokens","tokens":[{"number":2,"user":"link/1/2","created":"#))
        for request in [
            "GET /links/notes/a", "POST /links/notes/a?rights=read&seconds=1",
            "DELETE /links/notes/a?number=2",
        ] {
            #expect(try LineClient(server).fetch(request, link).status == 403)
        }
        for query in [
            "", "?rights=read", "?seconds=9", "?rights=admin&seconds=9", "?rights=read&seconds=2592001",
        ] {
            #expect(
                try LineClient(server).fetch("POST /links/notes/a" + query, ann).status == 400, "\(query)")
        }
        #expect(try LineClient(server).fetch("DELETE /links/notes/a", ann).status == 400)
        #expect(try LineClient(server).fetch("DELETE /links/notes/a?number=1", ann).status == 404)
        #expect(try LineClient(server).fetch("DELETE /links/notes/a?number=2", ann).status == 204)
        #expect(try LineClient(server).fetch("GET /docs/notes/a", link).status == 401)
    }

    @Test("an administrator lists, creates and revokes tokens, and nobody else does")
    func administration() throws {
        let (_, backend) = try token(of: "backend", "admin", "")
        let (_, ann) = try token(of: "ann", "admin", "notes/")
        func fetch(_ request: String, _ token: String, _ type: String = "application/json", body: String = "")
            throws -> HTTPResponse
        {
            try LineClient(server).fetch(request, token, "Content-Type: \(type)", body: body)
        }
        let grant = #"{"user":"bob","grants":[{"rights":"read","prefix":"notes/"}]}"#
        let added = try fetch("POST /tokens", backend, body: grant)
        #expect(added.status == 200)
        #expect(added.body.hasPrefix(#"{"type":"token_added","number":3,"token":"caret_3_"#))
        let text = try #require(added.body.split(separator: #""token":""#).last?.split(separator: "\"").first)
        let bob = "Authorization: Bearer \(text)"
        #expect(try fetch("GET /docs/notes/a", bob).body == "secret")
        let first = try fetch("GET /tokens?limit=1", backend)
        #expect(first.body.hasPrefix(#"{"type":"tokens","tokens":[{"number":1,"user":"backend","#))
        #expect(first.body.hasSuffix(#","more":true}"# + "\n"))
        #expect(try fetch("GET /tokens?after=2", backend).body.contains(#"[{"number":3,"user":"bob","#))
        for (request, body) in [
            ("GET /tokens", ""), ("POST /tokens", grant), ("DELETE /tokens/1", ""),
            ("POST /sign-out", #"{"user":"bob"}"#),
        ] {
            for (token, status) in [("X: 1", 401), (ann, 403), (bob, 403)] {
                #expect(try fetch(request, token, body: body).status == status, "\(request)")
            }
        }
        for (type, body, status) in [
            // A form of another site can send this type without being asked.
            ("text/plain", grant, 415), ("application/json", "[]", 400), ("application/json", "", 400),
            ("application/json", #"{"user":"bob"}"#, 400),
            ("application/json", #"{"type":"revoke_token","number":1,"user":"bob","grants":[]}"#, 400),
        ] {
            #expect(try fetch("POST /tokens", backend, type, body: body).status == status, "\(body)")
        }
        #expect(try fetch("DELETE /tokens/3", backend).status == 204)
        #expect(try fetch("DELETE /tokens/3", backend).status == 404)
        for path in ["/tokens/x", "/tokens/", "/tokens/-1", "/tokens/01", "/tokens/+1"] {
            #expect(try fetch("DELETE \(path)", backend).status == 404)
        }
        #expect(try fetch("GET /docs/notes/a", bob).status == 401)
        #expect(try fetch("GET /tokens?after=2", backend).body == #"{"type":"tokens","tokens":[]}"# + "\n")
    }

    /// Rule A6.
    @Test("a request is ended when its token is revoked")
    func revoked() throws {
        let (number, ann) = try token(of: "ann", "write", "notes/")
        let client = try LineClient(server)
        try client.beginBody("PUT /docs/notes/a", ann, "If-Match: *", length: 4)
        try admin.send(#"{"type":"revoke_token","number":\#(number)}"#)
        try admin.expect(#"{"type":"done"}"#)
        let refusal = try client.response()
        #expect(refusal.status == 401 && refusal.code == "unauthorized")
        try client.expectEnd()
        #expect(try LineClient(server).fetch("GET /docs/notes/a", ann).status == 401)
    }

    /// Rules A6 and P20.
    @Test(
        "a token that is revoked before the body leaves no document",
        arguments: ["PUT /docs/notes/new", "POST /append/notes/new?create=1"])
    func revokedBeforeBody(request: String) throws {
        let (number, ann) = try token(of: "ann", "write", "notes/")
        let client = try LineClient(server)
        try client.beginBody(request, ann, request.hasPrefix("PUT") ? "If-None-Match: *" : "X: 1", length: 4)
        try admin.send(#"{"type":"revoke_token","number":\#(number)}"#)
        try admin.expect(#"{"type":"done"}"#)
        #expect(try client.response().status == 401)
        let other = try LineClient(server, at: .adminSocket)
        #expect(try other.fetch("GET /docs/notes/new").status == 404)
        #expect(try other.fetch("PUT /docs/notes/new", "If-None-Match: *", body: "x").status == 201)
    }

    @Test("requests over the socket in the data folder need no token")
    func adminSocket() throws {
        let client = try LineClient(server, at: .adminSocket)
        #expect(try client.fetch("GET /docs/notes/a").body == "secret")
        #expect(try client.fetch("PUT /docs/b", "If-None-Match: *", body: "x").status == 201)
    }
}
