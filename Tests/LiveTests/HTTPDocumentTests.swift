import TestSupport
import Testing

@Suite("Documents over HTTP", .onOwnThread) struct HTTPDocumentTests {
    private let server: LiveServer
    private let client: LineClient

    init() throws {
        // Some tests connect several clients before they use them.
        server = try LiveServer(["--limit-hello-time": "5 min"])
        client = try LineClient(server)
    }

    /// Creates a document, and returns its version.
    @discardableResult
    private func create(_ name: String, _ text: String) throws -> String {
        let created = try client.fetch("PUT /docs/\(name)", "If-None-Match: *", body: text)
        try #require(created.status == 201, "\(created)")
        return created.version
    }

    private func text(of name: String) throws -> String { try client.fetch("GET /docs/\(name)").body }

    // MARK: Reading

    @Test("a document is created once, and has a tag and a path")
    func created() throws {
        let created = try client.fetch("PUT /docs/notes/f%C3%BCr%20Ann", "If-None-Match: *", body: "Milk\n")
        #expect(created.status == 201 && created.body.isEmpty)
        #expect(created.fields["location"] == "/docs/notes/f%C3%BCr%20Ann")
        #expect(created.version.hasSuffix("/1"))
        let again = try client.fetch("PUT /docs/notes/f%C3%BCr%20Ann", "If-None-Match: *", body: "Bread\n")
        #expect(again.status == 412 && again.code == "exists")
        let same = try client.fetch("PUT /docs/notes/f%C3%BCr%20Ann", "If-None-Match: *", body: "Milk\n")
        #expect(same.status == 412 && same.code == "exists")
        let read = try client.fetch("GET /docs/notes%2Ff%C3%BCr%20Ann")
        #expect(read.status == 200 && read.body == "Milk\n" && read.version == created.version)
        #expect(read.fields["content-type"] == "text/plain; charset=utf-8")
    }

    @Test("two requests that append to a missing document at once both succeed")
    func appendedAtOnce() throws {
        let clients = [client, try LineClient(server)]
        for client in clients { try client.beginBody("POST /append/new?create=1", length: 3) }
        #expect(try LineClient(server).fetch("GET /docs/new").status == 404)
        for (number, client) in clients.enumerated() { try client.send(bytes: Array("a\(number)\n".utf8)) }
        for client in clients { #expect(try client.response().status == 200) }
        #expect(["a0\na1\n", "a1\na0\n"].contains(try text(of: "new")))
        let refused = try client.fetch("POST /append/bad?create=1", body: "\r\n")
        #expect(refused.status == 200)
    }

    @Test("HEAD has the same fields as GET, and a known version gets 304")
    func known() throws {
        let version = try create("a", "Milk\n")
        let read = try client.fetch("GET /docs/a")
        let head = try client.fetch("HEAD /docs/a")
        let fields = ["etag", "content-length", "content-type", "caret-revision", "cache-control"]
        #expect(fields.allSatisfy { head.fields[$0] == read.fields[$0] && read.fields[$0] != nil })
        let known = try client.fetch("GET /docs/a", #"If-None-Match: "\#(version)""#)
        #expect(known.status == 304 && known.version == version)
        let json = try client.fetch(
            "GET /docs/a", "Accept: application/json", #"If-None-Match: "\#(version)""#)
        #expect(json.status == 200 && json.version == version + "/json")
        #expect(json.body.hasPrefix(#"{"type":"text","doc":"a","epoch":""#))
        #expect(json.body.hasSuffix(#""rev":1,"text":"Milk\n","newline":"lf"}"# + "\n"))
    }

    @Test("the history has each change, and older texts can be read and restored")
    func history() throws {
        let first = try create("a", "Milk\n")
        #expect(try client.fetch("PUT /docs/a?base=\(first)", body: "Milk\nBread\n").status == 204)
        #expect(try client.fetch("GET /docs/a?rev=1").body == "Milk\n")
        #expect(try client.fetch("GET /docs/a?at=1").body == "")
        #expect(try client.fetch("GET /docs/a?rev=3").code == "base_ahead")
        let history = try client.fetch("GET /history/a?after=1&edits=1")
        #expect(history.status == 200)
        #expect(history.body.contains(#""rev":2,"user":"anonymous""#))
        #expect(history.body.contains(#""edits":[{"range":[5,5],"text":"Bread\n"}]"#))
        let blamed = try client.fetch("GET /blame/a?after=1")
        #expect(blamed.status == 200)
        #expect(blamed.body.contains(#""rev":2,"ranges":[{"line":2,"lines":1,"rev":2,"user":"anonymous","#))
        #expect(try client.fetch("GET /blame/a?rev=3").code == "base_ahead")
        let restored = try client.fetch("POST /restore/a?to=\(first)")
        #expect(restored.status == 200 && restored.version == first.dropLast() + "3")
        #expect(try text(of: "a") == "Milk\n")
    }

    @Test("documents are listed in pages, renamed and deleted")
    func names() throws {
        for name in ["notes/a", "notes/b", "other"] { try create(name, name) }
        let page = try client.fetch("GET /docs?prefix=notes/&limit=1")
        #expect(page.body.hasPrefix(#"{"type":"listed","docs":[{"doc":"notes/a","#))
        #expect(page.body.hasSuffix(#"],"more":true}"# + "\n"))
        let rest = try client.fetch("GET /docs?prefix=notes/&after=notes/a")
        #expect(rest.body.contains(#""doc":"notes/b""#) && !rest.body.contains("more"))
        let renamed = try client.fetch("POST /rename/notes/b?to=notes/c%3F")
        #expect(renamed.status == 200 && renamed.fields["location"] == "/docs/notes/c%3F")
        #expect(try client.fetch("GET /docs/notes/b").status == 404)
        #expect(try client.fetch("GET /docs/notes/c%3F").body == "notes/b")
        #expect(try client.fetch("POST /rename/other?to=notes/a").code == "exists")
        #expect(try client.fetch("DELETE /docs/notes/a").status == 204)
        #expect(try client.fetch("DELETE /docs/notes/a").status == 404)
    }

    @Test("a document is copied once, and the copy has a path")
    func copied() throws {
        let version = try create("notes/a", "Milk\n")
        #expect(try client.fetch("PUT /docs/notes/a?base=\(version)", body: "Bread\n").status == 204)
        let copied = try client.fetch("POST /copy/notes/a?to=notes/b%3F")
        #expect(copied.status == 200 && copied.fields["location"] == "/docs/notes/b%3F")
        #expect(copied.body == #"{"type":"done"}"# + "\n")
        let copy = try client.fetch("GET /docs/notes/b%3F")
        #expect(copy.body == "Bread\n" && copy.version.hasSuffix("/1"))
        #expect(try text(of: "notes/a") == "Bread\n")
        let again = try client.fetch("POST /copy/notes/a?to=notes/b%3F")
        #expect(again.status == 409 && again.code == "exists")
        #expect(try client.fetch("POST /copy/nope?to=c").code == "not_found")
    }

    // MARK: Writing

    @Test("texts of two writers are merged")
    func merged() throws {
        let version = try create("a", "Milk\nBread\n")
        let ann = try client.fetch("PUT /docs/a?base=\(version)", body: "Oat milk\nBread\n")
        #expect(ann.status == 204 && ann.version == version.dropLast() + "2")
        let bob = try client.fetch(
            "PUT /docs/a?base=\(version)", "Prefer: return=representation", body: "Milk\nBread\nEggs\n")
        #expect(bob.status == 200 && bob.body == "Oat milk\nBread\nEggs\n")
        #expect(bob.version == version.dropLast() + "3")
        #expect(try text(of: "a") == bob.body)
    }

    /// Rule P21.
    @Test("of two conditional writes at the same time, exactly one succeeds")
    func race() throws {
        let other = try LineClient(server)
        let first = try create("a", "0")
        var version = first
        for round in 1...Seeds.slowed(30) {
            for (number, writer) in [client, other].enumerated() {
                let text = "round \(round) of writer \(number)"
                try writer.send("PUT /docs/a", [#"If-Match: "\#(version)""#], body: text)
                try writer.send("PUT /docs/new\(round)", ["If-None-Match: *"], body: text)
            }
            let answers = try [client, other].map { (try $0.response(), try $0.response()) }
            #expect(answers.map(\.0.status).sorted() == [204, 412])
            #expect(answers.map(\.1.status).sorted() == [201, 412])
            let winner = answers[0].0.status == 204 ? 0 : 1
            #expect(answers[1 - winner].0.code == "base_behind")
            #expect(answers[1 - winner].0.version == answers[winner].0.version)
            #expect(try text(of: "a") == "round \(round) of writer \(winner)")
            version = answers[winner].0.version
        }
    }

    @Test("lines that many clients append at the same time are all kept, in order")
    func appended() throws {
        let (clients, lines) = (try (0..<8).map { _ in try LineClient(server) }, 0..<Seeds.slowed(20))
        for line in lines {
            for (number, client) in clients.enumerated() {
                try client.send("POST /append/log?create=1", [], body: "\(number) \(line)\n")
            }
        }
        for client in clients { for _ in lines { #expect(try client.response().status == 200) } }
        let found = try text(of: "log").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(found.count == clients.count * lines.count)
        for number in clients.indices {
            #expect(found.filter { $0.hasPrefix("\(number) ") } == lines.map { "\(number) \($0)" })
        }
    }

    @Test("a text is appended on a line of its own")
    func ownLine() throws {
        try create("a", "Milk")
        #expect(try client.fetch("POST /append/a", body: "Bread\r\n").status == 200)
        #expect(try client.fetch("POST /append/a", body: "Eggs").status == 200)
        #expect(try text(of: "a") == "Milk\nBread\nEggs")
    }

    @Test("offsets use the unit of the request, and edits merge from their base")
    func edits() throws {
        let version = try create("a", "a😀b")
        #expect(try client.fetch("POST /append/a", body: "c").status == 200)
        func edit(_ query: String, _ range: String, _ fields: String...) throws -> HTTPResponse {
            try client.send(
                "POST /docs/a?\(query)", ["Content-Type: application/json"] + fields,
                body: #"{"edits":[{"range":\#(range),"text":"x"}]}"#)
            return try client.response()
        }
        #expect(try edit("base=\(version)&unit=utf-8", "[5,6]").status == 200)
        #expect(try text(of: "a") == "a😀x\nc")
        #expect(try edit("base=\(version)", "[2,3]").code == "bad_range")
        let late = try edit("unit=utf-32", "[0,1]", #"If-Match: "\#(version)""#)
        #expect(late.status == 412 && late.code == "base_behind")
        #expect(try edit("unit=utf-32", "[0,1]", #"If-Match: "\#(late.version)""#).status == 200)
        #expect(try text(of: "a") == "x😀x\nc")
    }

    @Test("line breaks of a file are kept for newline=kept")
    func newlines() throws {
        try create("a", "one\r\ntwo\rthree\n")
        let read = try client.fetch("GET /docs/a")
        #expect(read.body == "one\ntwo\nthree\n" && read.fields["caret-newline"] == "crlf")
        #expect(try client.fetch("GET /docs/a?newline=kept").body == "one\r\ntwo\r\nthree\r\n")
    }

    @Test(
        "a body in chunks is one text, however its bytes arrive", arguments: LineClient.WriteStyle.allCases)
    func chunked(style: LineClient.WriteStyle) throws {
        let client = try LineClient(server, style)
        try client.request("PUT /docs/a", "If-None-Match: *", "Transfer-Encoding: chunked")
        for piece in [#"6;x=1|"Milk"|"#, "2|é|", "2|\r\n|", "0|Trailer: 1||"] {
            try client.send(bytes: Array(piece.replacing("|", with: "\r\n").utf8))
        }
        #expect(try client.response().status == 201)
        #expect(try client.fetch("GET /docs/a").body == #""Milk"é"# + "\n")
    }

    // MARK: Other transports

    @Test("changes over HTTP reach clients of the line protocol, and the reverse")
    func lines() throws {
        let version = try create("a", "Milk\n")
        let ann = try LineClient(server)
        try ann.greet(as: "ann-client")
        try ann.send(#"{"type":"open","doc":"a"}"#)
        try ann.expect(#"{"type":"opened","doc":"a",…,"rev":1,"text":"Milk\n",…"#)
        #expect(try client.fetch("PUT /docs/a?base=\(version)", body: "Oat milk\n").status == 204)
        try ann.expect(#"{"type":"change","doc":"a","rev":2,"edits":[{"range":[0,1],"text":"Oat m"}],…"#)
        let push = #"{"type":"push","doc":"a","epoch":"\#(version.dropLast(2))","#
        try ann.send(push + #""base":2,"seq":1,"edits":[{"range":[9,9],"text":"!"}]}"#)
        try ann.expect(#"{"type":"ack","doc":"a","seq":1,"rev":3}"#)
        #expect(try text(of: "a") == "Oat milk\n!")
        #expect(try client.fetch("POST /append/a", body: "Bread\n").status == 200)
        try ann.expect(#"{"type":"change","doc":"a","rev":4,…"#)
        // Rule P21.
        try ann.send(push + #""base":3,"seq":2,"exact":true,"edits":[{"range":[0,0],"text":"!"}]}"#)
        try ann.expect(#"{"type":"error","doc":"a","seq":2,"code":"base_behind",…,"rev":4}"#)
        #expect(try client.fetch("DELETE /docs/a").status == 204)
        try ann.expect(#"{"type":"gone","doc":"a",…,"reason":"deleted"}"#)
    }
}
