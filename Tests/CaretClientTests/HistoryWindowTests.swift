import CaretClient
import CaretCore
import Testing

@Suite("A history that is read in windows of revisions") struct HistoryWindowTests {
    @Test("revisions are split into windows of at most 1,000")
    func windows() {
        let rows: [(after: Revision, through: Revision, ends: [Revision])] = [
            (0, 0, []), (3, 2, []), (0, 1, [1]), (0, 1_000, [1_000]), (0, 1_001, [1_000, 1_001]),
            (5, 2_006, [1_005, 2_005, 2_006]),
        ]
        for row in rows {
            let expected = zip([row.after] + row.ends, row.ends).map {
                HistoryWindow(after: $0, through: $1)
            }
            #expect(HistoryWindow.windows(after: row.after, through: row.through) == expected)
        }
    }

    @Test("a window returns all of its revisions, and no later ones")
    func reading() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        var read = try await client.push("0", to: "a", creating: true).revision
        for text in ["1", "2", "3", "4"] {
            let version = try await client.read("a")
            read = try await client.push(text, to: "a", since: version).revision
        }
        #expect(read == 5)
        let found = try await client.history(of: "a", in: HistoryWindow(after: 1, through: 3))
        #expect(found.map(\.revision) == [2, 3] && found.allSatisfy { $0.change == nil })
        let changes = try await client.history(
            of: "a", in: HistoryWindow(after: 3, through: 5), withChanges: true)
        #expect(changes.map(\.revision) == [4, 5] && changes.allSatisfy { $0.change != nil })
        #expect(try await client.history(of: "a", in: HistoryWindow(after: 2, through: 2)).isEmpty)
        #expect(try await client.oldestRevision(of: "a") == 0)
        for start in [3, 5] as [Revision] {
            try await client.trim("a", before: start)
            #expect(try await client.oldestRevision(of: "a") == start)
        }
    }
}
