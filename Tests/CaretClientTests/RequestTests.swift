import CaretClient
import CaretCore
import CaretWire
import Testing

@Suite("Requests") struct RequestTests {
    @Test("texts are pushed, read, listed, looked back at, renamed, restored and deleted")
    func requests() async throws {
        let server = try ServerProcess()
        let client = CaretClient(server.address, ClientOptions(person: Person(name: "Ann", color: "#c33")))
        try await client.push("one\n", to: "notes/a", creating: true)
        let read = try await client.read("notes/a")
        #expect(read.text == "one\n" && read.revision == 1)
        let saved = try await client.push("one\ntwo\n", to: "notes/a", since: read, answeringWithText: true)
        #expect(saved.revision == 2 && saved.text == "one\ntwo\n")
        #expect(try await client.push("one\ntwo\n", to: "notes/a", since: read).isUnchanged)
        let list = try await client.list(prefix: "notes/")
        #expect(list.documents.map(\.name) == ["notes/a"] && !list.hasMore)
        let history = try await client.history(of: "notes/a", after: .revision(1), withChanges: true)
        #expect(history.entries.map(\.inserted) == [4])
        #expect(try history.entries.first?.change == Change([Edit(4..<4, "two\n")]))
        try await client.rename("notes/a", to: "notes/b")
        #expect(try await client.restore("notes/b", to: 1).revision == 3)
        #expect(try await client.read("notes/b").text == "one\n")
        #expect(try await client.read("notes/b", at: .revision(2)).text == "one\ntwo\n")
        try await client.delete("notes/b")
        let refusal = await #expect(throws: ServerRefusal.self) { try await client.read("notes/b") }
        #expect(refusal?.word == "not_found")
        client.close()
        await #expect(throws: ConnectionFault.closed) { try await client.list() }
    }

    @Test("a client whose server is killed asks the next one")
    func restart() async throws {
        let server = try ServerProcess()
        let client = CaretClient(server.address)
        try await client.push("kept", to: "a", creating: true)
        server.kill()
        async let text = client.read("a").text
        try server.start()
        #expect(try await text == "kept")
    }

    @Test("who waits for a server that is not there may be cancelled", .timeLimit(.minutes(1)))
    func cancelledBeforeWelcome() async throws {
        let client = CaretClient(.unix(path: "/nowhere/caretd.sock"))
        let waiting = Task { try await client.connected() }
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup { group in
                group.addTask { try await client.connected() }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test("the documents of a server are followed over its Unix socket")
    func follow() async throws {
        let server = try ServerProcess()
        let client = CaretClient(server.socket)
        try await client.push("text", to: "a", creating: true)
        var news = client.documentNews().makeAsyncIterator()
        #expect(try await news.next() == .beginning)
        guard case .document(let summary) = try await news.next() else {
            Issue.record("the document is not told")
            return
        }
        #expect(summary.document == "a" && summary.length == 4)
        #expect(try await news.next() == .complete)
        try await client.rename("a", to: "b")
        var told: [DocumentNews] = []
        let gone = Gone(
            document: "a", epoch: summary.epoch, reason: .renamed, to: "b", isFollowed: true)
        while !told.contains(.gone(gone)) {
            told.append(try #require(try await news.next()))
        }
    }

    @Test("where no server is, a client that asks once says so and where")
    func unreachable() async throws {
        for address in [ServerAddress.tcp(host: "127.0.0.1", port: 1), .unix(path: "/nowhere/caretd.sock")] {
            let client = CaretClient(address, .oneShot)
            let fault = await #expect(throws: ConnectionFault.self) { try await client.list() }
            guard case .unreachable(address, _)? = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
        }
    }

    @Test("a request whose task is cancelled is over at once")
    func cancelled() async throws {
        let client = CaretClient(.unix(path: "/nowhere/caretd.sock"))
        let asking = Task { try await client.list() }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
    }

    @Test("a client that nobody has any more lets go of its connection")
    func released() async throws {
        let server = try ServerProcess()
        var client: CaretClient? = CaretClient(server.address, ClientOptions(client: "somebody-1"))
        try await client?.connected()
        client = nil
        let next = CaretClient(server.address, ClientOptions(client: "somebody-1", reconnects: false))
        try await next.connected()
        #expect(try await next.list().documents.isEmpty)
    }
}
