import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Documents that a client opens on a running server") struct DocumentTests {
    @Test("two clients see each other's text, carets and names")
    func together() async throws {
        let server = try ServerProcess()
        let ann = LiveClient(server.address, ClientOptions(person: PersonInfo(name: "Ann")))
        let bob = LiveClient(server.address, ClientOptions(person: PersonInfo(name: "Bob")))
        let hers = try await ann.open("notes", creating: true).opened()
        try hers.setText("Hello world")
        try await hers.saved()
        let his = try await bob.open("notes").opened()
        #expect(his.text.string == "Hello world" && his.revision == 1 && his.state == .saved)
        try hers.select([Selection(caret: 6)])
        var updates = his.updates.makeAsyncIterator()
        try his.replace(0..<5, with: "Good morning,")
        while hers.text.string != "Good morning, world" { await Task.yield() }
        #expect(hers.selections == [Selection(caret: 14)])
        while his.peers.first?.selections != [Selection(caret: 14)] { _ = await updates.next() }
        #expect(his.peers.first?.person == PersonInfo(name: "Ann"))
        hers.undo()
        try await hers.saved()
        while his.text.string != "Good morning," { _ = await updates.next() }
        hers.redo()
        try await hers.saved()
        #expect(hers.text.string == "Good morning, world")
    }

    @Test("an edit and a selection that are refused throw, and the document goes on")
    func refused() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        #expect(throws: CancellationError.self) { try document.edit { _ in throw CancellationError() } }
        #expect(throws: (any Error).self) { try document.select([Selection(caret: 5)]) }
        try document.append("one")
        try await document.saved()
        #expect(document.text.string == "one")
    }

    @Test("two windows share a document, which stays open until both are closed")
    func twoWindows() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let other = LiveClient(server.address)
        var first: LiveDocument? = try await client.open("notes", creating: true).opened()
        let (second, closed) = (client.open("notes"), client.open("notes"))
        var updates = second.updates.makeAsyncIterator()
        let (left, right) = (ViewTests.TestView(), ViewTests.TestView())
        var leftBinding = first?.binding()
        let rightBinding = second.binding()
        leftBinding?.begin(left)
        rightBinding.begin(right)
        left.type("one ")
        try leftBinding?.update(left)
        while right.inputText != "one " {
            _ = await updates.next()
            try rightBinding.update(right)
        }
        try first?.append("two ")
        var isTold = false
        while !isTold, let update = await updates.next() {
            guard case .edited(let change, _) = update else { continue }
            isTold = change.edits.contains { $0.text.hasSuffix("two ") }
        }
        #expect(isTold && second.text.string == "one two " && first?.text == second.text)
        // One window is closed by a call, and one by its release.
        var closedUpdates = closed.updates.makeAsyncIterator()
        closed.close()
        while await closedUpdates.next() != nil {}
        #expect(closed.text.isEmpty && closed.state == .offline)
        try closed.append("lost")
        await #expect(throws: ConnectionFault.closed) { try await closed.saved() }
        (leftBinding, first) = (nil, nil)
        try second.append("three")
        try await second.saved()
        #expect(try await other.read("notes").text == "one two three")
        let theirs = try await other.open("notes").opened()
        try theirs.append(" four")
        while second.text.string != "one two three four" { _ = await updates.next() }
        #expect(second.state == .saved)
    }

    @Test("a document that is open to edit is not opened to watch, and the reverse")
    func twoModes() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        try await client.push("text", to: "notes", creating: true)
        for (mode, other) in [(DocumentMode.edit, DocumentMode.watch), (.watch, .edit)] {
            let document = try await client.open("notes", mode: mode).opened()
            let refused = client.open("notes", mode: other)
            #expect(refused.text.isEmpty)
            let refusal = await #expect(throws: ServerRefusal.self) { try await refused.opened() }
            #expect(refusal?.word == "already_open")
            #expect(document.text.string == "text")
            document.close()
            #expect(try await client.open("notes", mode: other).opened().text.string == "text")
        }
    }

    @Test("opening a missing document again with `creating` creates it")
    func openedAgain() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let missing = client.open("nowhere")
        await #expect(throws: ServerRefusal.self) { try await missing.opened() }
        let created = try await client.open("nowhere", creating: true).opened()
        #expect(created.state == .saved && missing.state == .saved)
    }

    @Test("opening a document that does not exist throws")
    func notThere() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let refusal = await #expect(throws: ServerRefusal.self) {
            try await client.open("nowhere").opened()
        }
        #expect(refusal?.word == "not_found")
    }

    @Test(
        "after a rename edits are saved; after a deletion they are refused"
    )
    func renamedAndDeleted() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let document = try await client.open("a", creating: true).opened()
        try document.setText("one")
        try await document.saved()
        var updates = document.updates.makeAsyncIterator()
        try await client.rename("a", to: "b")
        while await updates.next() != .renamed("b") {}
        try document.setText("one two")
        try await document.saved()
        #expect(try await client.read("b").text == "one two")
        try await client.delete("b")
        while await updates.next() != .state(.refused(.notFound)) {}
        try document.replace(0..<0, with: "zero ")
        let lost = await #expect(throws: RefusedEdits.self) { try await document.saved() }
        #expect(lost?.text.string == "zero one two")
        // Without a folder for unsaved edits, `kept()` succeeds only for edits that the server has saved.
        await #expect(throws: RefusedEdits.self) { try await document.kept() }
        #expect(try lost?.difference == Change([Edit(0..<0, "zero ")]))
        #expect(document.discard() == lost?.difference)
        #expect(document.text.string == "one two")
    }

    @Test("edits made while the server is down are saved after its restart")
    func away() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let document = try await client.open("a", creating: true).opened()
        var updates = document.updates.makeAsyncIterator()
        server.kill()
        while await updates.next() != .state(.offline) {}
        try document.setText("typed meanwhile")
        let opening = Task { try await client.open("b", creating: true).opened() }
        try server.start()
        try await document.saved()
        #expect(try await client.read("a").text == "typed meanwhile")
        #expect(try await opening.value.name == "b")
    }

    @Test(
        "a document can be used before the server is up")
    func opening() async throws {
        let server = try ServerProcess()
        try await LiveClient(server.address).push("text", to: "a", creating: true)
        server.kill()
        let client = LiveClient(server.address)
        var updates = client.connectionUpdates.makeAsyncIterator()
        let document = client.open("a")
        #expect(document.state == .opening && document.text.string.isEmpty)
        while let status = await updates.next(), status.state != .waiting {}
        #expect(client.connectionState != .connected && client.lastError != nil)
        try server.start()
        try await document.opened()
        #expect(document.state == .saved && document.text.string == "text")
        while let status = await updates.next(), status.state != .connected {}
        #expect(client.lastError == nil)
        client.close()
        while let status = await updates.next(), status.state != .ended {}
        #expect(await updates.next() == nil)
        #expect(client.connectionState == .ended && client.lastError == .closed)
        var late = client.connectionUpdates.makeAsyncIterator()
        #expect(await late.next()?.state == .ended)
        #expect(await late.next() == nil)
        await #expect(throws: ConnectionFault.closed) { try await client.open("a").opened() }
    }

    @Test("closing a document or its client ends all updates and waiting calls")
    func closed() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let document = try await client.open("a", creating: true).opened()
        var updates = document.updates.makeAsyncIterator()
        document.close()
        while await updates.next() != nil {}
        await #expect(throws: ConnectionFault.closed) { try await document.saved() }
        expectEmpty(document)
        let other = try await client.open("a").opened()
        server.kill()
        try other.setText("never")
        let saving = Task { try await other.saved() }
        client.close()
        await #expect(throws: ConnectionFault.closed) { try await saving.value }
        #expect(other.text.string == "never")
    }

    private func expectEmpty(_ document: LiveDocument) {
        #expect(document.name.isEmpty && document.text.isEmpty && document.revision == 0)
        #expect(document.state == .offline && document.unsaved.isEmpty)
        #expect(document.selections.isEmpty && document.peers.isEmpty)
        #expect(!document.canUndo && !document.canRedo)
    }

    @Test("waiting for a document can be cancelled")
    func cancelled() async throws {
        let client = LiveClient(.unix(path: "/nowhere/caretd.sock"))
        let document = client.open("a")
        let waiting = Task { _ = try await document.opened() }
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await document.opened()
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("`gone` of a deleted document does not close a new one of the same name")
    func deletedAndMadeAgain() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        var events = client.followDocuments().makeAsyncIterator()
        while try await events.next() != .complete {}
        let first = try await client.open("a", creating: true).opened()
        try first.setText("first")
        try await first.saved()
        try await client.delete("a")
        first.close()
        let second = try await client.open("a", creating: true).opened()
        var isGone = false
        while !isGone {
            if case .gone(let gone) = try #require(try await events.next()) {
                isGone = gone.document == "a"
            }
        }
        #expect(second.state == .saved)
        try second.setText("second")
        try await second.saved()
        #expect(try await client.read("a").text == "second")
    }
}
