import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Checking a store with damaged pages") struct DamagedPageTests {
    @Test("a check continues after any damaged page, and finds damaged documents")
    func everyPage() async throws {
        let sample = try await SampleStore(isCutOff: false, crowd: 40)
        defer { sample.scratch.remove() }
        let bytes = try sample.scratch.databaseBytes()
        let entries = try await entries(in: sample.scratch)
        let ids = Set(entries.map(\.id))
        var (named, refused) = (0, 0)
        let pages = bytes.count / PageSums.pageSize
        for page in stride(from: 0, to: pages, by: isFullRun ? 1 : 3) {
            for others in [[], [pages / 2]] {
                var harmed = bytes
                for page in [page] + others { harmed[page * PageSums.pageSize + 2000] ^= 1 }
                try sample.scratch.write(harmed)
                guard let report = checked(sample.scratch) else {
                    refused += 1
                    continue
                }
                let found = Set(report.findings.compactMap(\.document))
                let damaged = try await damaged(entries, in: sample.scratch)
                #expect(damaged.isSubset(of: found), "page \(page): \(damaged.subtracting(found))")
                // The check must have read every document that it does not report.
                let left = ids.subtracting(found).count
                #expect(report.documents >= left, "page \(page): \(report.documents) of \(left)")
                named += found.count
            }
        }
        #expect(named > 0 && refused <= 8, "\(named) named, \(refused) refused")
    }

    @Test("with any page damaged, a check still reads the last document")
    func lastDocument() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (store, last) = (try SQLiteStore(folder: scratch.path), DocumentID(300))
        for number in 1...300 { _ = await store.create(try DocumentName("doc/\(number)")) }
        await store.close()
        // Damage the row of the last document, number 300. Every check that reads this row must report it.
        try DataFolder(scratch.path).openForWriting().execute("UPDATE document SET head = 7 WHERE id = 300")
        let bytes = try scratch.databaseBytes()
        var triedEach = 0
        for page in 0..<bytes.count / PageSums.pageSize {
            var harmed = bytes
            harmed[page * PageSums.pageSize + 2000] ^= 1
            try scratch.write(harmed)
            guard let report = checked(scratch) else { continue }
            #expect(report.findings.contains { $0.document == last }, "page \(page): \(report.findings)")
            // A page with rows of documents cannot be read, but the documents of other pages are read.
            if report.findings.count > 20, report.documents > 20 { triedEach += 1 }
        }
        #expect(triedEach > 2, "\(triedEach)")
    }

    @Test("a damaged page is found even if SQLite may map the file into memory")
    func mapped() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        do {
            let database = try Database(path: scratch.databasePath, for: .write)
            try database.reserveSums()
            try database.execute("CREATE TABLE x (y)")
            for _ in 0..<200 { try database.run("INSERT INTO x VALUES (zeroblob(100))") }
        }
        var bytes = try scratch.databaseBytes()
        // SQLite fills a page from its end. So these bytes are in the text of a row.
        bytes[bytes.count - 40] ^= 1
        try scratch.write(bytes)
        let database = try Database(path: scratch.databasePath, for: .read)
        try database.execute("PRAGMA mmap_size = 1000000")
        #expect(throws: DatabaseFault.self) {
            try database.all("SELECT length(y) FROM x") { $0.integer(0) }
        }
    }

    @Test("a check finds pushers that cannot be looked up by their names")
    func indexOfPushers() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        let index = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_author_1'"
        let page = try Int(sample.scratch.number(index)) - 1
        var bytes = try sample.scratch.databaseBytes()
        bytes[page * PageSums.pageSize + 2000] ^= 1
        try sample.scratch.write(bytes)
        let findings = try SQLiteStore.verify(folder: sample.scratch.path).findings
        let found = Set(findings.filter { $0.fault == .pusher }.compactMap(\.document))
        #expect(found == Set(sample.documents.prefix(3).map(\.entry.id)), "\(findings)")
    }

    private func entries(in scratch: Scratch) async throws -> [DocumentEntry] {
        let store = try SQLiteStore(folder: scratch.path)
        let entries = try await store.list().get().entries
        await store.close()
        return entries
    }

    /// Nil if the check is refused, because the header or the schema is damaged.
    private func checked(_ scratch: Scratch) -> CheckReport? {
        try? SQLiteStore.verify(folder: scratch.path)
    }

    /// The documents that a store reports as damaged when they are read.
    private func damaged(
        _ entries: [DocumentEntry], in scratch: Scratch
    ) async throws -> Set<DocumentID> {
        let copy = try scratch.copied()
        defer { copy.remove() }
        // If the store's own row or the schema is damaged, the store cannot be opened.
        guard let store = try? SQLiteStore(folder: copy.path) else { return [] }
        var damaged: Set<DocumentID> = []
        for entry in entries {
            let id = entry.id
            let answers = [
                refusal(await store.text(of: id)), refusal(await store.read(id, after: 70)),
                refusal(await store.find(entry.name)).map { .refused($0) },
                // An empty document has no pushers, so looking up a pusher would not find the damage.
                entry.head == 0
                    ? nil : refusal(await store.pusher(SampleLog.ann, in: id)).map { .refused($0) },
            ]
            if answers.contains(.refused(.damaged)) { damaged.insert(id) }
        }
        await store.close()
        return damaged
    }
}
