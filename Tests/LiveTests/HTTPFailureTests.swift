import Glibc
import TestSupport
import Testing

@Suite("Documents over HTTP, when something fails", .onOwnThread) struct HTTPFailureTests {
    // MARK: Limits

    @Test("a text of the largest size is saved and read; one more byte gets 413")
    func largest() throws {
        let client = try LineClient(try LiveServer())
        let text = String(repeating: "\"\n", count: Seeds.slowed(2 << 20))
        let limit = 4 << 20
        let first = try client.fetch("PUT /docs/a", "If-None-Match: *", body: text)
        #expect(first.status == 201)
        #expect(try client.fetch("GET /docs/a").body == text)
        let most = String(repeating: "x", count: limit)
        #expect(try client.fetch("PUT /docs/b", "If-None-Match: *", body: most).status == 201)
        let more = try client.fetch("PUT /docs/b", "If-Match: *", body: most + "x")
        #expect(more.status == 413 && more.code == "too_large")
        #expect(try client.fetch("GET /docs/b").body == most)
    }

    @Test("a body that is too long for any text is refused before it is sent", arguments: Transport.http)
    func tooLong(transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection()
        try client.request(
            "PUT /docs/a", "If-None-Match: *", "Content-Length: \(25 << 20 + 1)", "Expect: 100-continue")
        let refusal = try client.response()
        #expect(refusal.status == 413 && refusal.fields["connection"] == "close")
        try client.expectEnd()
    }

    /// Rule L3.
    @Test("a body that arrives too slowly gets 408, and changes nothing", arguments: Transport.http)
    func slowBody(transport: Transport) throws {
        let server = try LiveServer(["--limit-line-time": "1 s"], over: transport)
        let client = try server.openConnection()
        try client.request("PUT /docs/a", "If-None-Match: *", "Content-Length: 5")
        try client.send(bytes: Array("Milk".utf8))
        let refusal = try client.response()
        #expect(refusal.status == 408 && refusal.code == "bad_request")
        try client.expectEnd()
        #expect(try server.openConnection().fetch("GET /docs/a").status == 404)
    }

    /// Rule L4.
    @Test("bodies that exceed the memory budget for lines get 503", arguments: Transport.http)
    func budget(transport: Transport) throws {
        let server = try LiveServer(
            [
                "--limit-document": "160 KiB", "--limit-line": "1 MiB", "--limit-line-budget": "1 MiB",
            ], over: transport)
        let clients = try (0..<12).map { _ in try server.openConnection() }
        // The budget has memory for eight of the bodies, because the last part of each is free.
        let half = String(repeating: "x", count: 160_000)
        for (number, client) in clients.enumerated() {
            try client.request("PUT /docs/\(number)", "If-None-Match: *", "Content-Length: \(half.count + 1)")
            try client.send(bytes: Array(half.utf8))
        }
        var refused = 0
        var waiting = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while refused < 4 {
            try #require(poll(&waiting, nfds_t(waiting.count), 60_000) > 0, "\(refused) bodies were refused")
            for index in waiting.indices where waiting[index].revents != 0 {
                let refusal = try clients[index].response()
                #expect(refusal.status == 503 && refusal.code == "overloaded")
                #expect(refusal.fields["retry-after"] != nil)
                waiting[index].fd = -1
                refused += 1
            }
        }
        // If the bodies arrive at the same time, more of them may be refused, but not all.
        var saved = 0
        for (client, polled) in zip(clients, waiting) where polled.fd >= 0 {
            // The last byte may come too late for a refused body.
            try? client.send(bytes: [UInt8(ascii: "y")])
            let status = try client.response().status
            #expect(status == 201 || status == 503)
            if status == 201 { saved += 1 }
        }
        #expect(saved > 0)
        // This request succeeds only if the memory for the earlier bodies was released.
        #expect(
            try server.openConnection().fetch("PUT /docs/a", "If-None-Match: *", body: half).status == 201)
    }

    // MARK: Broken connections

    @Test("a request that is cut inside its body changes nothing", arguments: Transport.http)
    func cut(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let other = try server.openConnection()
        let created = try other.fetch("PUT /docs/a", "If-None-Match: *", body: "Milk\n")
        for request in ["PUT /docs/a?base=\(created.version)", "POST /append/a", "PUT /docs/b"] {
            let condition = request.hasSuffix("b") ? "If-None-Match: *" : "X: 1"
            let client = try server.openConnection()
            try client.request(request, condition, "Content-Length: 6")
            try client.send(bytes: Array("Bread".utf8))
            try client.endOutput()
            try client.expectEnd()
        }
        #expect(try other.fetch("GET /docs/a").body == "Milk\n")
        #expect(try other.fetch("GET /docs/b").status == 404)
        #expect(try other.fetch("GET /docs/a").version == created.version)
    }

    @Test("a request whose document is deleted or renamed meanwhile gets 404", arguments: Transport.http)
    func gone(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let other = try server.openConnection()
        for request in ["DELETE /docs/a", "POST /rename/a?to=b"] {
            _ = try other.fetch("PUT /docs/a", "If-None-Match: *", body: "Eggs\n")
            let client = try server.openConnection()
            try client.beginBody("POST /append/a?create=1", length: 4)
            #expect(try other.fetch(request).status < 300)
            try client.send(bytes: Array("Milk".utf8))
            let refusal = try client.response()
            #expect(refusal.status == 404 && refusal.code == "not_found")
            #expect(try other.fetch("GET /docs/a").status == 404)
        }
    }

    /// Rules P1 and P8.
    @Test(
        "acked changes survive a kill, and their repeats are not carried out again", arguments: Transport.http
    )
    func killed(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        var client = try server.openConnection()
        let created = try client.fetch("PUT /docs/a", "If-None-Match: *", body: "Milk\n")
        let requests = repeatable(on: created.version)
        let answers = try requests.map { try send($0, over: client) }
        #expect(answers.map(\.status) == [200, 204, 200, 200, 201])
        let text = try client.fetch("GET /docs/a").body
        try expectRepeats(answers, of: requests, over: client)
        try server.kill()

        client = try server.startAgain().openConnection()
        #expect(try client.fetch("GET /docs/a").body == text)
        try expectRepeats(answers, of: requests, over: client)
        #expect(try client.fetch("GET /docs/a").body == text)
        #expect(try client.fetch("GET /docs/new").version == answers[4].version)
    }

    /// A request with `Caret-Client` and `Caret-Seq`.
    private struct Repeatable {
        let line: String
        let client: String
        let body: String
        var field = "X: 1"
    }

    private func repeatable(on version: String) -> [Repeatable] {
        let edits = #"{"edits":[{"range":[0,0],"text":"- "}]}"#
        return [
            Repeatable(line: "POST /append/a", client: "first-client", body: "Bread\n"),
            Repeatable(line: "PUT /docs/a?base=\(version)", client: "second-client", body: "Oat milk\n"),
            Repeatable(
                line: "POST /docs/a?base=\(version)", client: "third-client", body: edits,
                field: "Content-Type: application/json"),
            Repeatable(line: "POST /append/a", client: "fourth-client", body: "Eggs\n"),
            Repeatable(line: "PUT /docs/new", client: "fifth-client", body: "x", field: "If-None-Match: *"),
        ]
    }

    private func send(_ request: Repeatable, over client: LineClient) throws -> HTTPResponse {
        try client.fetch(
            request.line, "Caret-Client: \(request.client)", "Caret-Seq: 7", request.field,
            body: request.body)
    }

    /// Expects that each request gets its first answer again.
    private func expectRepeats(
        _ answers: [HTTPResponse], of requests: [Repeatable], over client: LineClient
    ) throws {
        for (request, first) in zip(requests, answers) {
            let answer = try send(request, over: client)
            #expect(answer.status == first.status && answer.version == first.version, "\(request)")
            #expect(answer.body.isEmpty || answer.body.hasSuffix(#""duplicate":true}"# + "\n"), "\(answer)")
        }
    }

    /// Rule P10.
    @Test("an append with the number of an earlier, different one gets 409", arguments: Transport.http)
    func reused(transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection()
        let fields = ["Caret-Client: first-client", "Caret-Seq: 1"]
        for (body, status) in [("Milk\n", 200), ("Milk\n", 200), ("Bread\n", 409), ("Milk", 409)] {
            try client.send("POST /append/a?create=1", fields, body: body)
            let answer = try client.response()
            #expect(answer.status == status && (status == 200 || answer.code == "seq_reused"), "\(answer)")
        }
        #expect(try client.fetch("GET /docs/a").body == "Milk\n")
    }

    /// Rule H7.
    @Test("a request is ended by a newer connection with the same Caret-Client", arguments: Transport.http)
    func replaced(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let (older, newer) = (try server.openConnection(), try server.openConnection())
        try older.beginBody(
            "PUT /docs/a", "If-None-Match: *", "Caret-Client: first-client", "Caret-Seq: 1", length: 4)
        #expect(try newer.fetch("GET /docs", "Caret-Client: first-client").status == 200)
        let refusal = try older.response()
        #expect(refusal.status == 409 && refusal.code == "replaced")
        try older.expectEnd()
    }

    /// Rule E5.
    @Test("at SIGTERM a request whose body is not complete gets 503", arguments: Transport.http)
    func stopped(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let client = try server.openConnection()
        try client.beginBody("PUT /docs/a", "If-None-Match: *", length: 4)
        server.program.kill(SIGTERM)
        let refusal = try client.response()
        #expect(refusal.status == 503 && refusal.code == "shutting_down")
        #expect(refusal.fields["retry-after"] != nil)
        try client.expectEnd()
        #expect(try server.program.waitForExit().status == 0)
    }
}
