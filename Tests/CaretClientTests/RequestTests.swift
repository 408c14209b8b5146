import CaretClient
import CaretCore
import CaretWire
import Foundation
import Testing

@Suite("Requests of a client to a running server") struct RequestTests {
    @Test("reads show the effects of push, rename, restore and delete")
    func requests() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address, ClientOptions(person: PersonInfo(name: "Ann", color: "#c33")))
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
        let blame = try await client.blame("notes/a")
        #expect(blame.revision == 2 && blame.epoch == read.epoch && !blame.hasMore)
        #expect(blame.ranges.map(\.first) == [1, 2] && blame.ranges.map(\.count) == [1, 1])
        #expect(blame.ranges.map(\.revision) == [1, 2])
        let times = try await client.history(of: "notes/a").entries.map(\.time)
        #expect(blame.ranges.map { $0.author?.time } == times)
        #expect(blame.ranges.allSatisfy { $0.author?.user == "anonymous" })
        #expect(try await client.blame("notes/a", at: 1, afterLine: 1).ranges.isEmpty)
        try await client.rename("notes/a", to: "notes/b")
        #expect(try await client.restore("notes/b", to: 1).revision == 3)
        #expect(try await client.read("notes/b").text == "one\n")
        #expect(try await client.read("notes/b", at: .revision(2)).text == "one\ntwo\n")
        try await client.tag(2, of: "notes/b", as: "both")
        try await client.copy("notes/b", to: "notes/c")
        #expect(try await client.read("notes/c").text == "one\n")
        #expect(try await client.tags(of: "notes/c").map(\.name) == ["both"])
        try await client.delete("notes/b")
        let refusal = await #expect(throws: ServerRefusal.self) { try await client.read("notes/b") }
        #expect(refusal?.word == "not_found")
        client.close()
        await #expect(throws: ConnectionFault.closed) { try await client.list() }
    }

    @Test("notes are written, answered, changed, listed and removed")
    func notes() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        try await client.push("one two three\n", to: "plan", creating: true)
        #expect(try await client.addNote("Why?", to: "plan", on: 4..<7, at: 1) == 1)
        #expect(try await client.suggest(Change([Edit(0..<3, "1")]), in: "plan", at: 1, saying: "short") == 2)
        #expect(try await client.answer(1, in: "plan", "Because.") == 3)
        try await client.push("zero one two three\n", to: "plan", since: client.read("plan"))
        let all = try await client.notes(of: "plan")
        #expect(all.count == 3)
        #expect(all.areAll)
        #expect(all.right == .write)
        #expect(all.notes.map(\.number) == [1, 2, 3])
        #expect(all.notes.map(\.range) == [9..<12, 5..<8, nil])
        #expect(all.notes.map(\.quote) == ["two", "one", ""])
        #expect(all.notes.map(\.text) == ["Why?", "short", "Because."])
        #expect(all.notes.map(\.revision) == [2, 2, 2])
        #expect(try all.notes.map(\.suggestion) == [nil, Change([Edit(5..<8, "1")]), nil])
        #expect(all.notes.map(\.parent) == [nil, nil, 1])
        #expect(try await client.changeNote(1, version: 1, in: "plan", to: "How?") == 2)
        #expect(try await client.setNote(2, version: 1, in: "plan", to: .rejected) == 2)
        let other = try await client.suggest(Change([Edit(0..<4, "0")]), in: "plan", at: 2)
        #expect(try await client.acceptSuggestion(other, version: 1, in: "plan") == 3)
        #expect(try await client.read("plan").text == "0 one two three\n")
        #expect(try await client.notes(of: "plan").notes.last?.acceptedAs == 3)
        let changed = try await client.notes(of: "plan", since: all.count)
        #expect(!changed.areAll)
        #expect(changed.notes.map(\.state) == [.open, .rejected, .accepted])
        let refusal = await #expect(throws: ServerRefusal.self) {
            try await client.removeNote(1, version: 1, in: "plan")
        }
        #expect(refusal?.code == .baseBehind)
        try await client.removeNote(1, version: 2, in: "plan")
        #expect(try await client.notes(of: "plan").notes.map(\.number) == [2, 4])
    }

    @Test("a list with a prefix returns the matching documents, page by page")
    func lists() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        for name in ["a/1", "a/2", "b"] { try await client.push("text", to: name, creating: true) }
        let all = try await client.list()
        #expect(all.documents.map(\.name) == ["a/1", "a/2", "b"] && !all.hasMore)
        let first = try await client.list(prefix: "a/", limit: 1)
        #expect(first.documents.map(\.name) == ["a/1"] && first.hasMore)
        let next = try await client.list(prefix: "a/", after: "a/1")
        #expect(next.documents.map(\.name) == ["a/2"] && !next.hasMore)
        var events = client.followDocuments(prefix: "b").makeAsyncIterator()
        #expect(try await events.next() == .restarted)
        guard case .document(let summary) = try await events.next() else {
            Issue.record("there is no event for the document")
            return
        }
        #expect(summary.document == "b")
        #expect(try await events.next() == .complete)
    }

    @Test("by default a push creates no document and returns no text")
    func defaults() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let refusal = await #expect(throws: ServerRefusal.self) { try await client.push("text", to: "a") }
        #expect(refusal?.word == "not_found")
        let saved = try await client.push("1\r\n2\r\n", to: "a", creating: true)
        #expect(saved.text == nil && !saved.isUnchanged)
        let read = try await client.read("a")
        #expect(read.text == "1\n2\n" && read.usesCRLF)
        try await client.push("1\n", to: "b", creating: true)
        #expect(try await !client.read("b").usesCRLF)
        let history = try await client.history(of: "a").entries
        #expect(history.count == 1 && history.first?.change == nil)
    }

    @Test("a text larger than the buffers of a socket is sent and received")
    func largeText() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        let text = String(repeating: "0123456789abcde\n", count: 200_000)
        try await client.push(text, to: "a", creating: true)
        #expect(try await client.read("a").text == text)
    }

    @Test("a client sends its access token, and the server knows its user")
    func token() async throws {
        let server = try ServerProcess(["--require-tokens=true"])
        let admin = LiveClient(server.socket)
        let grant = WireGrant(.read, to: .prefix(""))
        let answer = try await admin.request(.admin(.addToken(AddToken(user: "ann", grants: [grant]))))
        guard case .admin(.tokenAdded(let added)) = answer else {
            Issue.record("\(answer)")
            return
        }
        let ann = LiveClient(server.address, ClientOptions(token: added.token.string))
        #expect(try await ann.welcome().user == "ann")
        let stranger = LiveClient(server.address, ClientOptions(token: added.token.string + "x"))
        let fault = await #expect(throws: ConnectionFault.self) { try await stranger.connected() }
        guard case .refused(let refusal)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(refusal.code == .unauthorized)
    }

    @Test("each push number is higher than the one before, even after a restart")
    func pushNumbers() {
        let client = LiveClient(.unix(path: "/nowhere/caretd.sock"))
        let start = Date.now.milliseconds
        // The loop makes more numbers than milliseconds pass, so the time alone would repeat numbers.
        let numbers = (0..<1_000).map { _ in client.nextPushNumber() }
        #expect(numbers.first.map { $0 >= start } == true)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a request waits while the server is restarted")
    func restart() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        try await client.push("kept", to: "a", creating: true)
        server.kill()
        async let text = client.read("a").text
        try server.start()
        #expect(try await text == "kept")
    }

    @Test("waiting for a connection can be cancelled")
    func cancelledBeforeWelcome() async throws {
        let client = LiveClient(.unix(path: "/nowhere/caretd.sock"))
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

    @Test("a client follows documents over the Unix socket")
    func follow() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        try await client.push("text", to: "a", creating: true)
        var events = client.followDocuments().makeAsyncIterator()
        #expect(try await events.next() == .restarted)
        guard case .document(let summary) = try await events.next() else {
            Issue.record("there is no event for the document")
            return
        }
        #expect(summary.document == "a" && summary.length == 4)
        #expect(try await events.next() == .complete)
        try await client.rename("a", to: "b")
        var received: [FollowEvent] = []
        let gone = Gone(
            document: "a", epoch: summary.epoch, reason: .renamed, to: "b", isFollowed: true)
        while !received.contains(.gone(gone)) {
            received.append(try #require(try await events.next()))
        }
    }

    @Test("a second `follow` ends the first; closing the client ends the second")
    func followAgain() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        var events: FollowEvents.Iterator
        do {
            var old = client.followDocuments().makeAsyncIterator()
            events = client.followDocuments().makeAsyncIterator()
            while try await old.next() != nil {}
        }
        // `old` is released at the end of this block. The second sequence must continue.
        while try await events.next() != .complete {}
        try await client.push("text", to: "a", creating: true)
        guard case .document(let summary) = try await events.next() else {
            Issue.record("there is no event for the document")
            return
        }
        #expect(summary.document == "a")
        client.close()
        #expect(await lastError(of: events) == .closed)
        #expect(await lastError(of: client.followDocuments().makeAsyncIterator()) == .closed)
    }

    /// Reads a sequence to its end. Returns nil if it ends without an error.
    private func lastError(of events: FollowEvents.Iterator) async -> ConnectionFault? {
        var events = events
        do {
            while try await events.next() != nil {}
            return nil
        } catch {
            return error as? ConnectionFault
        }
    }

    @Test("without a server, a one-shot client throws the address and the reason")
    func unreachable() async throws {
        let path = "/" + String(repeating: "x", count: 107)
        let reasons: [(ServerAddress, String)] = [
            (.tcp(host: "127.0.0.1", port: 1), "Connection refused"),
            (.unix(path: "/nowhere/caretd.sock"), "No such file or directory"),
            (.unix(path: path), "the path of the socket has 108 bytes, and the system allows 107"),
        ]
        for (address, reason) in reasons {
            let client = LiveClient(address, .oneShot)
            let fault = await #expect(throws: ConnectionFault.self) { try await client.list() }
            #expect(fault == .unreachable(address, reason: reason))
        }
    }

    @Test("a client reports why the server has ended its connection")
    func ended() async throws {
        let server = try ServerProcess()
        let relay = try Relay(to: server.address)
        let client = LiveClient(relay.address, .oneShot)
        try await client.connected()
        var updates = client.connectionUpdates.makeAsyncIterator()
        relay.cut()
        while let status = await updates.next(), status.state != .ended {}
        let reason = DisconnectReason.ended.explanation
        #expect(client.lastError == .lost(relay.address, reason: reason))
    }

    @Test("cancelling a task ends its request at once")
    func cancelled() async throws {
        let client = LiveClient(.unix(path: "/nowhere/caretd.sock"))
        let asking = Task { try await client.list() }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
    }

    @Test("a released client closes its connection")
    func released() async throws {
        let server = try ServerProcess()
        var client: LiveClient? = LiveClient(server.address, ClientOptions(client: "somebody-1"))
        try await client?.connected()
        client = nil
        let next = LiveClient(server.address, ClientOptions(client: "somebody-1", reconnects: false))
        try await next.connected()
        #expect(try await next.list().documents.isEmpty)
    }
}
