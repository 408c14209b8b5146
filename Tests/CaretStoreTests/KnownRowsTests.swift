import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import TestSupport
import Testing

@Suite("Rows that appends to PostgreSQL expect") struct KnownRowsTests {
    private let rows = KnownRows()

    private func epoch(_ document: UInt64) -> Epoch { Epoch(generation: 1, document: document) }

    private func note(head: Revision, epoch document: UInt64 = 1, deleted: Int64? = nil) throws {
        rows.note(
            DocumentRow(
                DocumentEntry(
                    id: DocumentID(1), name: try DocumentName("notes"), epoch: epoch(document), head: head,
                    start: 0,
                    length: .zero, updated: 0, lineBreak: .lf, deleted: deleted)))
    }

    private func fit(at head: Revision, epoch document: UInt64 = 1) -> Bool {
        rows.fits(Append(document: DocumentID(1), epoch: epoch(document), expected: head, changes: []))
    }

    @Test("the newest row of a history stays, and a row of another history replaces it")
    func newest() throws {
        #expect(!fit(at: 2))
        try note(head: 2)
        try note(head: 1)
        #expect(fit(at: 2) && !fit(at: 1) && !fit(at: 3) && !fit(at: 2, epoch: 5))
        try note(head: 1, epoch: 5)
        #expect(fit(at: 1, epoch: 5) && !fit(at: 2))
        rows.forget(DocumentID(1))
        #expect(!fit(at: 1, epoch: 5))
    }

    @Test("the row of a deleted document fits no append")
    func deleted() throws {
        try note(head: 2, deleted: 7)
        #expect(!fit(at: 2))
        try note(head: 2)
        #expect(fit(at: 2))
    }

    /// The length of the text in the database is changed after the read. So the answer shows whether the store has read
    /// the row again.
    @Test("after a read of what another server has committed, an append does not read the row again")
    func rowOfRead() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        func opened(_ node: String) throws -> PostgresStore {
            try PostgresStore(PostgresAddress(address), node: node, allowsUnreplicated: true)
        }
        let (one, other) = (try opened("a"), try opened("b"))
        var document = try await TrackedDocument(on: one)
        let id = document.entry.id
        let first = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await other.append(first) == .committed(head: 1))
        try document.follow(first)
        #expect(try await one.read(id, after: 0).get().head == 1)
        try cluster.execute("SET search_path = store_1; UPDATE document SET utf16 = 77")
        let second = try document.append([SampleChange.edit(1, 1, "y")], seq: 2)
        #expect(await one.append(second) == .committed(head: 2))
        #expect(try await one.entries(of: [id])[0].get().length.utf16 == 2)
        await one.close()
        await other.close()
    }
}
