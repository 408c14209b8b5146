import CaretClient
import Foundation
import Testing

@Suite("Subcommands that read lists of several pages", .serialized) struct CatalogueTests {
    /// Names so long that a page of 4 KiB has fewer than ten of them.
    private let names = (10..<34).map { "\($0)" + String(repeating: "n", count: 400) }

    /// One field of each line that a command prints. A timeout ends a command that requests the same page
    /// forever.
    private func fields(_ field: Int, of command: String, on session: CommandSession) throws -> [String] {
        let run = try session.shell("timeout 20 caret \(command) --data DATA")
        #expect(run.status == 0, "\(command): \(run.status)")
        return run.output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return field < fields.count ? String(fields[field]) : ""
        }
    }

    @Test("every document, deleted document and connection is listed once")
    func pages() async throws {
        let session = try CommandSession(["--limit-page", "4 KiB"])
        let clients = (0..<3).map { _ in LiveClient(session.socket) }
        defer { for client in clients { client.close() } }
        var open: [LiveDocument] = []
        for client in clients {
            for name in names { open.append(try await client.open(name, creating: true).opened()) }
        }
        #expect(try fields(0, of: "ls", on: session) == names)
        // There is a connection for each of the three clients, and one for the command itself.
        let connections = try fields(0, of: "who", on: session)
        #expect(connections.count == 4)
        #expect(Set(connections).count == 4)
        for name in names { try await clients[0].delete(name) }
        #expect(try fields(1, of: "ls --deleted", on: session) == names)
        withExtendedLifetime(open) {}
    }
}
