import CaretCore
import CaretLog
import TestSupport
import Testing

/// Rules D22 and D23.
@Suite("The store's contract: who changed each line") struct BlameContractTests {
    /// The answer as the log gives it.
    private func expected(
        of document: TrackedDocument, from start: Int = 0, through end: Int? = nil
    ) throws -> [BlamedRange] {
        var blamed = try BlamedText(document.texts[start], at: Revision(start))
        for change in document.log[start..<(end ?? document.log.count)] { try blamed.apply(change) }
        return blamed.ranges(after: 0, limit: .max).ranges
    }

    /// Commits random changes of lines, by two pushers.
    private func change(_ document: inout TrackedDocument, _ count: Int, _ random: inout Seeded) async throws
    {
        for _ in 0..<count {
            let length = document.text.length.utf16
            let start = random.number(0...length)
            let end = min(length, start + (random.chance(40) ? random.number(0...6) : 0))
            let edit = try Edit(Offset(start)..<Offset(end), random.pick(["x\n", "y", "\n", "z\nz\n"]))
            let who = random.chance(50) ? SampleLog.ann : SampleLog.bob
            let append = try document.append([edit], by: who, seq: Int64(document.log.count + 1))
            #expect(await document.store.append(append) == .committed(head: document.head.next))
            try document.follow(append)
        }
    }

    @Test("each line has the last revision that changed it, at every revision", arguments: StoreKind.allCases)
    func revisions(kind: StoreKind) async throws {
        var (document, random) = (try await TrackedDocument(kind), Seeded(3))
        try await change(&document, 60, &random)
        let (store, id) = (document.store, document.entry.id)
        // In any order, so that answers begin at the answers before.
        for end in Array(0...60) + [17, 59, 3, 60] {
            let page = try await store.blame(id, at: Revision(end)).get()
            #expect(try page.ranges == expected(of: document, through: end), "revision \(end)")
            #expect(page.revision == Revision(end) && page.epoch == document.entry.epoch && !page.hasMore)
        }
        try await change(&document, 20, &random)
        #expect(try await store.blame(id).get().ranges == expected(of: document))
        #expect(try await store.blame(id).get().revision == 80)
    }

    @Test("an answer comes in pages", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        var (document, random) = (try await TrackedDocument(kind), Seeded(4))
        try await change(&document, 60, &random)
        let all = try expected(of: document)
        var found: [BlamedRange] = []
        while true {
            let after = found.last.map { $0.line + $0.count - 1 } ?? 0
            let page = try await document.store.blame(document.entry.id, after: after, limit: 4).get()
            found += page.ranges
            #expect(page.ranges.count == 4 || !page.hasMore)
            if !page.hasMore { break }
        }
        #expect(found == all)
        let none = try await document.store.blame(document.entry.id, after: 9_999).get()
        #expect(none.ranges.isEmpty && !none.hasMore)
    }

    @Test("a trim takes the authors of the oldest lines", arguments: StoreKind.allCases)
    func trimmed(kind: StoreKind) async throws {
        var (document, random) = (try await TrackedDocument(kind), Seeded(5))
        try await change(&document, 50, &random)
        let (store, id) = (document.store, document.entry.id)
        #expect(try await store.blame(id).get().ranges == expected(of: document))
        #expect(await store.trim(id, through: 30) == .trimmed(start: 30))
        let ranges = try await store.blame(id).get().ranges
        #expect(try ranges == expected(of: document, from: 30))
        #expect(ranges.contains { $0.author == nil && $0.revision == 30 })
        #expect(ranges.contains { $0.author != nil })
        let oldest = try await store.blame(id, at: 30).get().ranges
        #expect(oldest.count == 1 && oldest[0].revision == 30 && oldest[0].author == nil)
        #expect(refusal(await store.blame(id, at: 29)) == .history(.trimmed(start: 30)))
        #expect(await store.trim(id, through: 50) == .trimmed(start: 50))
        #expect(try await store.blame(id).get().ranges.map(\.revision) == [50])
        try await change(&document, 5, &random)
        #expect(try await store.blame(id).get().ranges == expected(of: document, from: 50))
    }

    @Test("a redaction leaves each line its author", arguments: StoreKind.allCases)
    func redacted(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.typeAtOnce("a\nsecret\nb\n")
        let (store, id) = (document.store, document.entry.id)
        let before = try await store.blame(id).get()
        let redaction = Redaction(try Passage("secret"))
        guard case .redacted = await store.redact(id, redaction) else {
            throw Unexpected(what: "the passage was not redacted")
        }
        let after = try await store.blame(id).get()
        #expect(after.ranges == before.ranges && after.epoch != before.epoch)
    }

    @Test("what cannot be answered is refused", arguments: StoreKind.allCases)
    func refusals(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        let (store, id) = (document.store, document.entry.id)
        #expect(try await store.blame(id).get().ranges.isEmpty)
        try await document.type("ab")
        #expect(refusal(await store.blame(id, at: 3)) == .history(.ahead(head: 2)))
        #expect(refusal(await store.blame(DocumentID(999))) == .history(.refused(.gone)))
        #expect(await store.delete(id) == nil)
        #expect(refusal(await store.blame(id)) == .history(.refused(.gone)))
    }

    @Test("250,000 lines are allowed, and one more is not", arguments: StoreKind.allCases)
    func mostLines(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        let (store, id) = (document.store, document.entry.id)
        let most = String(repeating: "x\n", count: BlamedText.mostLines)
        for (text, start) in [(most, 0), ("x\n", 0)] {
            let edit = try Edit(Offset(start)..<Offset(start), text)
            let append = try document.append([edit], seq: Int64(document.log.count + 1))
            #expect(await store.append(append) == .committed(head: document.head.next))
            try document.follow(append)
        }
        #expect(try await store.blame(id, at: 1).get().ranges.map(\.count) == [BlamedText.mostLines])
        #expect(refusal(await store.blame(id)) == .tooManyLines)
        // A later text has fewer lines, but its history has too many of them.
        let append = try document.append([Edit(0..<document.text.end, "x")], seq: 3)
        #expect(await store.append(append) == .committed(head: 3))
        #expect(refusal(await store.blame(id)) == .tooManyLines)
        #expect(await store.trim(id, through: 2) == .trimmed(start: 2))
        #expect(refusal(await store.blame(id, at: 2)) == .tooManyLines)
        #expect(await store.trim(id, through: 3) == .trimmed(start: 3))
        #expect(try await store.blame(id).get().ranges.map(\.revision) == [3])
    }
}
