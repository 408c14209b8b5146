import CaretClient
import CaretCore
import Observation
import Testing

@Suite("A document whose properties are observed") @MainActor struct ObservableDocumentTests {
    /// Waits until a condition on observed properties holds, as SwiftUI waits for them.
    private func wait(until isTrue: @escaping @MainActor () -> Bool) async {
        while true {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            let isDone = withObservationTracking(isTrue) { continuation.yield() }
            if isDone { return }
            for await _ in changes { break }
        }
    }

    @Test("a new text is saved, and changes by others appear")
    func bothWays() async throws {
        let server = try ServerProcess()
        let (client, other) = (LiveClient(server.address), LiveClient(server.address))
        let document = ObservableDocument(client, "notes", creating: true)
        try await document.live.opened()
        document.text = "Milk\r\n"
        #expect(document.text == "Milk\n")
        await wait { document.state == .saved }
        let their = try await other.open("notes").opened()
        #expect(their.text.string == "Milk\n")
        try their.append("Tea\n")
        await wait { document.text == "Milk\nTea\n" }
        try their.select([Selection(caret: 0)])
        await wait { document.peers.count == 1 }
        try await other.rename("notes", to: "list")
        await wait { document.name == "list" }
        // A document that is not used any more is released, and its peer disappears.
        their.close()
    }

    @Test("what others wrote stays if a view sets a text that it read before the property changed")
    func undrawnView() async throws {
        let server = try ServerProcess()
        let (client, other) = (LiveClient(server.address), LiveClient(server.address))
        let document = ObservableDocument(client, "notes", creating: true)
        try await document.live.opened()
        document.text = "Milk\n"
        try await document.live.saved()
        let their = try await other.open("notes").opened()
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let shown = withObservationTracking {
            document.text
        } onChange: {
            continuation.yield()
        }
        try their.insert("Bread\n", at: 0)
        for await _ in changes { break }
        document.text = shown + "Tea\n"
        #expect(document.text == "Bread\nMilk\nTea\n")
        try await document.live.saved()
    }

    @Test("two objects of one client share a document, and it stays open for the other one")
    func shared() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        let first = ObservableDocument(client, "notes", creating: true)
        var second: ObservableDocument? = ObservableDocument(client, "notes", creating: true)
        try await first.live.opened()
        second?.text = "Milk\n"
        await wait { first.text == "Milk\n" }
        second = nil
        first.text = "Milk\nTea\n"
        try await first.live.saved()
        #expect(try await client.read("notes").text == "Milk\nTea\n")
        #expect(first.peers.isEmpty)
    }

    @Test("after the document is closed, a new text has no effect")
    func closed() async throws {
        let server = try ServerProcess()
        let document = ObservableDocument(LiveClient(server.address), "notes", creating: true)
        document.text = "Milk\n"
        try await document.live.saved()
        document.live.close()
        document.text = "Milk\nTea\n"
        #expect(document.text == "Milk\n")
    }

    @Test("an object that is released ends its task and closes the document")
    func released() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        var document: ObservableDocument? = ObservableDocument(client, "notes", creating: true)
        try await document?.live.opened()
        weak let live = document?.live
        document = nil
        while live != nil { await Task.yield() }
    }
}
