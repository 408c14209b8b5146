import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("The store's contract: copies") struct CopyContractTests {
    /// A document with the texts "1", "21", "321" and "4321", in a file with CRLF, and these tags.
    private func document(
        in store: any SnapshotStore, _ tags: [(String, Revision)] = [("b", 3), ("a", 1), ("zero", 0)]
    ) async throws -> DocumentEntry {
        var document = try await TrackedDocument(on: store)
        for seq in 1...4 {
            let append = try document.append([Edit(0..<0, "\(seq)")], by: SampleLog.bob, seq: Int64(seq))
            #expect(await store.append(append) == .committed(head: Revision(seq)))
            try document.follow(append)
        }
        let entry = document.entry
        let append = Append(
            document: entry.id, epoch: entry.epoch, expected: 4, changes: [], lineBreak: .crlf)
        #expect(await store.append(append) == .committed(head: 4))
        for (name, revision) in tags {
            let tag = CaretLog.Tag(
                name: try #require(TagName(name)), revision: revision, user: "bob", time: 7)
            #expect(await store.addTag(tag, to: entry.id) == .tagged)
        }
        return entry
    }

    private func copied(_ result: CopyResult) throws -> DocumentEntry {
        guard case .copied(let entry) = result else {
            throw Unexpected(what: "the document was not copied: \(result)")
        }
        return entry
    }

    /// Rules D18 and D19.
    @Test(
        "a copy has the newest text, and the texts of the tags as its history", arguments: StoreKind.allCases)
    func copy(kind: StoreKind) async throws {
        let store = try kind.make()
        let source = try await document(in: store)
        let name = try DocumentName("copy")
        let copy = try copied(await store.copy(SampleCopy.of(source.id, to: name, at: 9)))
        #expect(copy.id != source.id && copy.epoch != source.epoch && copy.name == name)
        #expect(copy.head == 3 && copy.start == 0 && copy.updated == 9 && copy.lineBreak == .crlf)
        #expect(try await store.find(name).get() == copy)
        for (revision, text) in ["", "1", "321", "4321"].enumerated() {
            #expect(try await store.text(of: copy.id, at: Revision(revision)).get().text.string == text)
        }
        let tags = try await store.tags(of: copy.id).get()
        #expect(tags.map(\.name.text) == ["zero", "a", "b"] && tags.map(\.revision) == [0, 1, 2])
        #expect(tags.allSatisfy { $0.user == "bob" && $0.time == 7 })
        let history = try await store.read(copy.id, after: 0).get().segment.changes
        #expect(history.allSatisfy { $0.pusher == SampleLog.ann && $0.time == 9 })
        // The copy and its source change on their own.
        let change = try SampleLog.pushed(Change([Edit(0..<0, "x")]), in: TextBuffer("4321"), seq: 1)
        let append = Append(document: copy.id, epoch: copy.epoch, expected: 3, changes: [change])
        #expect(await store.append(append) == .committed(head: 4))
        #expect(try await store.text(of: source.id).get().text.string == "4321")
        #expect(try await store.tags(of: source.id).get().map(\.revision) == [0, 1, 3])
    }

    @Test("equal texts share a revision, and an empty document can be copied", arguments: StoreKind.allCases)
    func equalTexts(kind: StoreKind) async throws {
        let store = try kind.make()
        var document = try await TrackedDocument(on: store)
        let empty = document.entry.id
        let zero = CaretLog.Tag(name: try #require(TagName("zero")), revision: 0, user: "bob", time: 7)
        #expect(await store.addTag(zero, to: empty) == .tagged)
        let first = try copied(await store.copy(SampleCopy.of(empty, to: try DocumentName("first"))))
        #expect(first.head == 0)
        #expect(try await store.tags(of: first.id).get() == [zero])
        for (seq, edit) in [try Edit(0..<0, "x"), try Edit(0..<1, ""), try Edit(0..<0, "x")].enumerated() {
            let append = try document.append([edit], seq: Int64(seq + 1))
            #expect(await store.append(append) == .committed(head: Revision(seq + 1)))
            try document.follow(append)
        }
        let one = CaretLog.Tag(name: try #require(TagName("one")), revision: 1, user: "bob", time: 8)
        #expect(await store.addTag(one, to: empty) == .tagged)
        let second = try copied(await store.copy(SampleCopy.of(empty, to: try DocumentName("second"))))
        #expect(second.head == 1)
        #expect(try await store.tags(of: second.id).get() == [zero, one])
        #expect(try await store.text(of: second.id).get().text.string == "x")
    }

    @Test("a refused copy creates nothing", arguments: StoreKind.allCases)
    func refusals(kind: StoreKind) async throws {
        let store = try kind.make()
        let source = try await document(in: store)
        #expect(await store.copy(SampleCopy.of(source.id, to: source.name)) == .exists)
        let name = try DocumentName("copy")
        #expect(await store.copy(SampleCopy.of(DocumentID(999), to: name)) == .refused(.gone))
        // Three revisions of one edit each: 64 bytes, and the text that it inserts.
        let size = 3 * 64 + 4
        let tooSmall = SampleCopy.of(source.id, to: name, mostBytes: size - 1)
        #expect(await store.copy(tooSmall) == .tooLarge(bytes: size))
        #expect(await store.delete(source.id, at: 8) == nil)
        #expect(await store.copy(SampleCopy.of(source.id, to: name)) == .refused(.gone))
        #expect(refusal(await store.find(name)) == .gone)
        guard case .undeleted = await store.undelete(source.id) else {
            throw Unexpected(what: "the document was not undeleted")
        }
        _ = try copied(await store.copy(SampleCopy.of(source.id, to: name, mostBytes: size)))
    }

    @Test("a copy of a trimmed document has the texts that are left", arguments: StoreKind.allCases)
    func trimmed(kind: StoreKind) async throws {
        let store = try kind.make()
        let source = try await document(in: store)
        #expect(await store.trim(source.id, through: 2) == .trimmed(start: 2))
        let copy = try copied(await store.copy(SampleCopy.of(source.id, to: try DocumentName("copy"))))
        #expect(copy.head == 2)
        #expect(try await store.text(of: copy.id, at: 1).get().text.string == "321")
        #expect(try await store.tags(of: copy.id).get().map(\.revision) == [1])
    }

    @Test("a document with as many tags as it may have can be copied", arguments: StoreKind.durable)
    func allTags(kind: StoreKind) async throws {
        let store = try kind.make()
        let tags = (1...1_000).map { ("t\($0)", Revision($0 % 4 + 1)) }
        let source = try await document(in: store, tags)
        let copy = try copied(await store.copy(SampleCopy.of(source.id, to: try DocumentName("copy"))))
        #expect(copy.head == 4)
        #expect(try await store.tags(of: copy.id).get() == store.tags(of: source.id).get())
    }

    @Test("a copy is on disk and sound", arguments: [true, false])
    func onDisk(isUpkept: Bool) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        var store = try SQLiteStore(folder: scratch.path)
        let source = try await document(in: store)
        let copy = try copied(await store.copy(SampleCopy.of(source.id, to: try DocumentName("copy"), at: 9)))
        if isUpkept { await store.runUpkeep(at: 1_000) }
        await store.close()
        store = try SQLiteStore(folder: scratch.path)
        #expect(try await store.verify().isSound)
        #expect(try await store.text(of: copy.id, at: 2).get().text.string == "321")
        #expect(try await store.tags(of: copy.id).get().count == 3)
        await store.close()
    }
}

@Suite("Copies of documents that change meanwhile") struct CopyRaceTests {
    /// A store that changes itself before it reads a text.
    private struct ChangingStore: DocumentStore {
        let store: MemoryStore
        let change: @Sendable (inout StoreModel) -> Void

        func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
            if case .text = call { store.arrange(change) }
            store.run(call, then: answer)
        }
    }

    /// A document with the text "secret", and then "a secret". The first text has a tag.
    private func source(in store: MemoryStore) async throws -> DocumentID {
        var document = try await TrackedDocument(on: store)
        for (seq, text) in ["secret", "a "].enumerated() {
            let append = try document.append([Edit(0..<0, text)], seq: Int64(seq + 1))
            #expect(await store.append(append) == .committed(head: Revision(seq + 1)))
            try document.follow(append)
        }
        let tag = CaretLog.Tag(name: try #require(TagName("a")), revision: 1, user: "ann", time: 7)
        #expect(await store.addTag(tag, to: document.entry.id) == .tagged)
        return document.entry.id
    }

    private func result(
        of change: @escaping @Sendable (DocumentID, inout StoreModel) -> Void
    ) async throws -> (CopyResult, isCreated: Bool) {
        let store = MemoryStore()
        let (id, name) = (try await source(in: store), try DocumentName("copy"))
        let changing = ChangingStore(store: store) { change(id, &$0) }
        let result = await changing.copied(SampleCopy.of(id, to: name), while: { true })
        return (result, isCreated: refusal(await store.find(name)) == nil)
    }

    @Test("a copy never has a passage that was redacted meanwhile, nor a part of a history")
    func changes() async throws {
        let passage = try Passage("secret")
        let redacted = try await result { id, model in
            _ = model.redact(id, Redaction(passage, isDryRun: false))
        }
        #expect(redacted.0 == .changed && !redacted.isCreated)
        let trimmed = try await result { id, model in _ = model.trim(id, through: 2) }
        #expect(trimmed.0 == .changed && !trimmed.isCreated)
        let deleted = try await result { id, model in _ = model.delete(id, at: 8) }
        #expect(deleted.0 == .refused(.gone) && !deleted.isCreated)
        let damaged = try await result { id, model in model.damage(id) }
        #expect(damaged.0 == .refused(.damaged) && !damaged.isCreated)
        let full = try await result { _, model in model.trouble = .full }
        #expect(full.0 == .refused(.full) && !full.isCreated)
    }

    @Test("a rename of the source does not matter, and the text is that of the moment of the tags")
    func renamed() async throws {
        let store = MemoryStore()
        let (id, other) = (try await source(in: store), try DocumentName("other"))
        let changing = ChangingStore(store: store) { model in
            guard let entry = try? model.entry(of: id).get(), entry.head == 2 else { return }
            _ = model.rename(id, to: other)
            guard let end = try? TextBuffer("a secret"), let change = try? Change([Edit(0..<0, "not ")]),
                let pushed = try? SampleLog.pushed(change, in: end, seq: 3)
            else { return }
            _ = model.append(Append(document: id, epoch: entry.epoch, expected: 2, changes: [pushed]))
        }
        let result = await changing.copied(
            SampleCopy.of(id, to: try DocumentName("copy")), while: { true })
        guard case .copied(let copy) = result else {
            throw Unexpected(what: "the document was not copied: \(result)")
        }
        #expect(try await store.entries(of: [id])[0].get().head == 3)
        #expect(try await store.text(of: copy.id).get().text.string == "a secret")
    }

    @Test("a store that is being closed ends a copy")
    func closing() async throws {
        let store = MemoryStore()
        let (id, name) = (try await source(in: store), try DocumentName("copy"))
        #expect(
            await store.copied(SampleCopy.of(id, to: name), while: { false }) == .refused(.away))
        #expect(refusal(await store.find(name)) == .gone)
    }
}
