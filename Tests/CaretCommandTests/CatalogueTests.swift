import CaretClient
import Foundation
import Testing

@Suite("Lists that come in several pages", .serialized) struct CatalogueTests {
    /// So long that a page of 4 KiB has fewer than ten of them.
    private let names = (10..<34).map { "\($0)" + String(repeating: "n", count: 400) }

    /// The first fields of what a command prints. One that asks for the same page again and again is ended.
    private func fields(_ field: Int, of command: String, on stand: Stand) throws -> [String] {
        let run = try stand.shell("timeout 20 caret \(command) --data DATA")
        #expect(run.status == 0, "\(command): \(run.status)")
        return run.output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return field < fields.count ? String(fields[field]) : ""
        }
    }

    @Test("documents, deleted documents and connections are all listed, and each once")
    func pages() async throws {
        let stand = try Stand(["--limit-page", "4 KiB"])
        let clients = (0..<3).map { _ in LiveClient(stand.socket) }
        defer { for client in clients { client.close() } }
        var open: [LiveDocument] = []
        for client in clients {
            for name in names { open.append(try await client.open(name, creating: true).opened()) }
        }
        #expect(try fields(0, of: "ls", on: stand) == names)
        // Those three, and the one that asks.
        let connections = try fields(0, of: "who", on: stand)
        #expect(connections.count == 4)
        #expect(Set(connections).count == 4)
        for name in names { try await clients[0].delete(name) }
        #expect(try fields(1, of: "ls --deleted", on: stand) == names)
        withExtendedLifetime(open) {}
    }
}
