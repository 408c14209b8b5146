import CaretClient
import CaretCore
import Testing

@Suite("Administration requests of the Swift client") struct AdministrationTests {
    @Test("each administration request returns the values that the server sent")
    func answers() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        try await client.push("one\n", to: "a", creating: true)
        let read = try await client.read("a")
        try await client.push("two\n", to: "a", since: read)
        let open = try await client.open("a").opened()
        let connection = try #require(try await client.connections().connections.first)
        #expect(connection.user == "admin" && connection.peer == "unix" && connection.documents == ["a"])
        open.close()
        // The server may list the connections before it has closed the document.
        while try await client.connections().connections.first?.documents != [] {}

        let counters = try await client.counters()
        #expect(counters.counters.first { $0.name == "pushes" }?.value == 2)
        #expect(counters.latencies.contains { $0.name == "ack" && $0.largest >= $0.median })

        #expect(try await client.trim("a", before: 1, isDryRun: true).revisions == 1)
        let trimmed = try await client.trim("a", before: 1)
        #expect(trimmed.start == 1 && trimmed.revisions == 1)

        try await client.delete("a")
        let deleted = try #require(try await client.deletedDocuments(prefix: "a").documents.first)
        #expect(deleted.name == "a" && deleted.revision == 2 && deleted.length == 4)
        #expect(try await client.deletedDocuments(prefix: "b").documents.isEmpty)
        #expect(try await client.deletedDocuments().documents.map(\.number) == [deleted.number])
        try await client.push("b\n", to: "b", creating: true)
        let verified = try await client.verify()
        #expect(verified.isSound && verified.documents == 2 && verified.revisions == 2)
        let backup = try await client.backUp()
        #expect(backup.documents == 2 && backup.bytes > 0 && backup.file.hasSuffix(".sqlite"))
    }
}
