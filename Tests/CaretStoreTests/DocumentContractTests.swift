import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: documents") struct DocumentContractTests {
    @Test("a created document is empty, and found by its name", arguments: StoreKind.allCases)
    func create(kind: StoreKind) async throws {
        let document = try await TrackedDocument(kind)
        let entry = document.entry
        #expect(entry.head == 0 && entry.start == 0 && entry.length == .zero)
        #expect(entry.updated == 5 && entry.lineBreak == .lf)
        #expect(await document.store.create(entry.name) == .exists(entry))
        #expect(try await document.store.find(entry.name).get() == entry)
        #expect(refusal(await document.store.find(try DocumentName("nobody"))) == .gone)
    }

    /// Successive changes by ann, each of which fits an empty text. The first one has the number `seq`.
    private func initialHistory(
        of changes: [Change], from seq: Int64, lineBreak: LineBreak? = nil
    ) throws -> InitialHistory {
        let pushed = try changes.enumerated().map { index, change in
            try SampleLog.pushed(change, in: TextBuffer(), seq: seq + Int64(index))
        }
        return InitialHistory(pushed, lineBreak: lineBreak)
    }

    @Test(
        "a document and its first revision are created together, or not at all", arguments: StoreKind.allCases
    )
    func createFilled(kind: StoreKind) async throws {
        let store = try kind.make()
        let name = try DocumentName("filled")
        let text = try TextBuffer("a😀\n")
        let insertion = try Change([Edit(0..<0, text.string)])
        let tooLarge = try initialHistory(of: [insertion], from: DocumentEntry.farthest + 1)
        #expect(await store.create(name, tooLarge) == .invalidChange)
        #expect(refusal(await store.find(name)) == .gone)
        let first = try initialHistory(of: [insertion], from: 7, lineBreak: .crlf)
        let pushed = first.changes[0]
        guard case .created(let entry) = await store.create(name, first, at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        #expect(entry.head == 1 && entry.start == 0 && entry.length == text.length)
        #expect(entry.updated == pushed.logged.time && entry.lineBreak == .crlf)
        #expect(await store.create(name, first) == .exists(entry))
        #expect(try await store.find(name).get() == entry)
        #expect(try await store.text(of: entry.id).get() == Snapshot(revision: 1, text: text))
        let history = try await store.read(entry.id, after: 0).get()
        #expect(history.segment.changes == [pushed.logged] && history.head == 1)
        let known = PusherEntry(seq: 7, revision: 1, digest: pushed.digest, used: pushed.logged.time)
        #expect(try await store.pusher(SampleLog.ann, in: entry.id).get().entry == known)
        let second = try SampleLog.pushed(
            SampleChange.change([SampleChange.edit(0, 1, "b")]), in: text, seq: 8)
        let append = Append(document: entry.id, epoch: entry.epoch, expected: 1, changes: [second])
        #expect(await store.append(append) == .committed(head: 2))
        #expect(try await store.text(of: entry.id).get().text.string == "b😀\n")
    }

    @Test(
        "a new document has all revisions of its history, and its line break", arguments: StoreKind.allCases)
    func createWithHistory(kind: StoreKind) async throws {
        let store = try kind.make()
        let empty = try DocumentName("empty")
        guard
            case .created(let entry) = await store.create(empty, InitialHistory([], lineBreak: .crlf), at: 5)
        else { throw Unexpected(what: "the document was not created") }
        #expect(entry.head == 0 && entry.lineBreak == .crlf && entry.updated == 5)
        #expect(try await store.find(empty).get() == entry)
        let three = try initialHistory(of: (1...3).map { try Change([Edit(0..<0, "\($0)\n")]) }, from: 1)
        let name = try DocumentName("long")
        guard case .created(let long) = await store.create(name, three, at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        #expect(long.head == 3 && long.length.utf8 == 6 && long.lineBreak == .lf)
        #expect(try await store.find(name).get() == long)
        #expect(try await store.read(long.id, after: 0).get().segment.changes == three.changes.map(\.logged))
        #expect(try await store.text(of: long.id, at: 2).get().text.string == "2\n1\n")
        #expect(try await store.pusher(SampleLog.ann, in: long.id).get().entry?.revision == 3)
        let next = try initialHistory(of: [Change([Edit(0..<0, "4\n")])], from: 4).changes
        let append = Append(document: long.id, epoch: long.epoch, expected: 3, changes: next)
        #expect(await store.append(append) == .committed(head: 4))
    }

    @Test("entries of several documents are returned in the requested order", arguments: StoreKind.allCases)
    func entries(kind: StoreKind) async throws {
        let document = try await TrackedDocument(kind)
        let answers = await document.store.entries(of: [DocumentID(999), document.entry.id])
        #expect(answers.map { refusal($0) } == [.gone, nil])
        #expect(try answers[1].get() == document.entry)
    }

    /// Rule T2.
    @Test(
        "documents are listed in pages, in the order of their names' bytes", arguments: StoreKind.allCases
    )
    func list(kind: StoreKind) async throws {
        let store = try kind.make()
        for name in ["b", "a/2", "a/10", "a/\u{10000}", "a/\u{E000}", "aa", "A"] {
            _ = await store.create(try DocumentName(name))
        }
        let first = try await store.list(prefix: "a/", limit: 2).get()
        #expect(first.entries.map(\.name.description) == ["a/10", "a/2"] && first.hasMore)
        let rest = try await store.list(prefix: "a/", after: "a/2", limit: 2).get()
        #expect(rest.entries.map(\.name.bytes) == ["a/\u{E000}", "a/\u{10000}"] && !rest.hasMore)
        let all = try await store.list().get()
        #expect(
            all.entries.map(\.name.bytes) == ["A", "a/10", "a/2", "a/\u{E000}", "a/\u{10000}", "aa", "b"])
        #expect(try await store.list(prefix: "c").get() == Listing(entries: [], hasMore: false))
    }

    @Test("a list accepts zero, negative and huge limits", arguments: StoreKind.allCases)
    func limits(kind: StoreKind) async throws {
        let store = try kind.make()
        for name in ["a", "b", "c"] { _ = await store.create(try DocumentName(name)) }
        for name in ["b", "c"] {
            #expect(await store.delete(try await store.find(try DocumentName(name)).get().id) == nil)
        }
        for (limit, count) in [(Int.max, 1), (1, 1), (0, 0), (-1, 0), (.min, 0)] {
            let page = try await store.list(limit: limit).get()
            #expect(page.entries.count == count && page.hasMore == (count == 0), "\(limit)")
        }
        for (limit, count) in [(Int.max, 2), (2, 2), (1, 1), (0, 0), (-1, 0), (.min, 0)] {
            let page = try await store.deleted(limit: limit).get()
            #expect(page.entries.count == count && page.hasMore == (count < 2), "\(limit)")
        }
    }

    /// Rules T3 and D11.
    @Test(
        "a renamed document keeps its history, and its old name is free", arguments: StoreKind.allCases)
    func rename(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("ab")
        let (store, id) = (document.store, document.entry.id)
        let old = try DocumentName("old")
        #expect(await store.rename(id, to: document.entry.name) == .exists)
        #expect(await store.rename(id, to: old) == .renamed)
        #expect(refusal(await store.find(document.entry.name)) == .gone)
        let entry = try await store.find(old).get()
        #expect(entry.id == id && entry.epoch == document.entry.epoch && entry.head == 2)
        #expect(try await store.pusher(SampleLog.ann, in: id).get().entry?.seq == 2)
        guard case .created(let other) = await store.create(document.entry.name) else {
            throw Unexpected(what: "the name was not free")
        }
        #expect(other.id != id && other.epoch != entry.epoch)
        #expect(await store.rename(other.id, to: old) == .exists)
        #expect(await store.rename(DocumentID(999), to: try DocumentName("x")) == .refused(.gone))
    }

    /// Rules T3 and T4.
    @Test(
        "a deleted document is gone, and its name is free for a new document",
        arguments: StoreKind.allCases)
    func delete(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("ab")
        let (store, id, name) = (document.store, document.entry.id, document.entry.name)
        #expect(await store.delete(id) == nil)
        #expect(await store.delete(id) == .gone)
        #expect(refusal(await store.find(name)) == .gone)
        #expect(refusal(await store.text(of: id)) == .refused(.gone))
        #expect(try await store.list().get().entries.isEmpty)
        guard case .created(let again) = await store.create(name) else {
            throw Unexpected(what: "the name was not free")
        }
        #expect(again.id != id && again.epoch != document.entry.epoch && again.head == 0)
        #expect(await store.undelete(id) == .exists)
    }

    /// Rule A8.
    @Test("a document that was deleted and undeleted is unchanged", arguments: StoreKind.allCases)
    func undelete(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("ab")
        let (store, id) = (document.store, document.entry.id)
        let before = try await store.find(document.entry.name).get()
        #expect(await store.undelete(id) == .live)
        #expect(await store.delete(id) == nil)
        #expect(await store.undelete(id) == .undeleted(before))
        #expect(try await store.text(of: id).get() == Snapshot(revision: 2, text: document.text))
        #expect(try await store.pusher(SampleLog.ann, in: id).get().entry?.seq == 2)
        #expect(await store.undelete(DocumentID(999)) == .refused(.gone))
    }
}
