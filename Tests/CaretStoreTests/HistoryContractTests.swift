import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: history") struct HistoryContractTests {
    @Test("the text at every revision equals the log applied up to it", arguments: StoreKind.allCases)
    func texts(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        var random = Seeded(11)
        for seq in 1...40 {
            let change = SampleChange.make(for: document.text, upTo: 2, &random)
            let append = try document.append(change.edits, seq: Int64(seq))
            #expect(await document.store.append(append) == .committed(head: document.head.next))
            try document.follow(append)
        }
        for (revision, text) in document.texts.enumerated() {
            let snapshot = try await document.store.text(of: document.entry.id, at: Revision(revision)).get()
            #expect(snapshot == Snapshot(revision: Revision(revision), text: text))
        }
        #expect(try await document.store.text(of: document.entry.id).get().revision == 40)
    }

    @Test(
        "history is read from any revision, at least one change per page", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("abcde")
        let (store, id) = (document.store, document.entry.id)
        let page = try await store.read(id, after: 1, limit: 2 * document.log[1].weight).get()
        #expect(page.segment == Segment(first: 2, changes: Array(document.log[1...2])) && page.head == 5)
        #expect(page.segment.last == 3)
        #expect(try await store.read(id, after: 3, limit: 0).get().segment.changes == [document.log[3]])
        #expect(try await store.read(id, after: 5).get().segment.changes.isEmpty)
        #expect(refusal(await store.read(id, after: 6)) == .ahead(head: 5))
        #expect(refusal(await store.text(of: id, at: 6)) == .ahead(head: 5))
        #expect(refusal(await store.read(DocumentID(999), after: 0)) == .refused(.gone))
    }

    @Test(
        "a history can be trimmed through any revision, and the rest stays",
        arguments: StoreKind.allCases)
    func trim(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("abcde")
        let (store, id) = (document.store, document.entry.id)
        #expect(await store.trim(id, through: 3) == .trimmed(start: 3))
        #expect(try await store.text(of: id, at: 3).get().text == document.texts[3])
        #expect(try await store.text(of: id, at: 5).get().text == document.texts[5])
        #expect(try await store.read(id, after: 3).get().segment.changes == Array(document.log[3...]))
        #expect(refusal(await store.read(id, after: 2)) == .trimmed(start: 3))
        #expect(refusal(await store.text(of: id, at: 2)) == .trimmed(start: 3))
        #expect(try await store.find(document.entry.name).get().start == 3)
        #expect(await store.trim(id, through: 3) == .trimmed(start: 3))
        #expect(await store.trim(id, through: 2) == .refused(.trimmed(start: 3)))
        #expect(await store.trim(id, through: 9) == .refused(.ahead(head: 5)))
        // A pusher's row stays even if the pusher's revision was trimmed.
        #expect(try await store.pusher(SampleLog.ann, in: id).get().entry?.seq == 5)
    }

    @Test("a snapshot whose text differs from its revision is refused", arguments: StoreKind.allCases)
    func wrongSnapshot(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("abc")
        let (store, id) = (document.store, document.entry.id)
        let wrong = Snapshot(revision: 2, text: document.texts[3])
        #expect(refusal(await store.putSnapshot(wrong, of: id)) == .wrongText)
        let beyond = Snapshot(revision: 4, text: document.texts[3])
        #expect(refusal(await store.putSnapshot(beyond, of: id)) == .ahead(head: 3))
        let right = Snapshot(revision: 2, text: document.texts[2])
        #expect(refusal(await store.putSnapshot(right, of: id)) == nil)
    }
}
