import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

extension DocumentStore {
    fileprivate func created(_ name: String) async throws -> DocumentID {
        guard case .created(let entry) = await create(try DocumentName(name)) else {
            throw Unexpected(what: "the document was not created")
        }
        return entry.id
    }
}

@Suite("The store's contract: tags") struct TagContractTests {
    typealias Store = SnapshotStore

    private func tag(_ name: String, _ revision: Revision, at time: Int64 = 7) throws -> CaretLog.Tag {
        CaretLog.Tag(name: try #require(TagName(name)), revision: revision, user: "ann", time: time)
    }

    /// A document with three revisions.
    private func document(in store: any Store) async throws -> DocumentID {
        var document = try await TrackedDocument(on: store)
        for seq in 1...3 {
            let append = try document.append([Edit(0..<0, "x")], seq: Int64(seq))
            _ = await store.append(append)
            try document.follow(append)
        }
        return document.entry.id
    }

    @Test("a document has the tags that were added, sorted by revision", arguments: StoreKind.allCases)
    func adding(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(in: store)
        #expect(try await store.tags(of: id).get().isEmpty)
        for (name, revision) in [("late", 3), ("b", 1), ("a", 1), ("zero", 0)] {
            #expect(await store.addTag(try tag(name, Revision(revision)), to: id) == .tagged)
        }
        let tags = try await store.tags(of: id).get()
        #expect(tags == [try tag("zero", 0), try tag("a", 1), try tag("b", 1), try tag("late", 3)])
        // The same tag again changes nothing, not even its time.
        #expect(await store.addTag(try tag("late", 3, at: 9), to: id) == .tagged)
        #expect(await store.addTag(try tag("late", 2), to: id) == .exists(3))
        #expect(try await store.tags(of: id).get() == tags)
        #expect(await store.addTag(try tag("x", 4), to: id) == .refused(.ahead(head: 3)))
        let nobody = DocumentID(999)
        #expect(await store.addTag(try tag("x", 0), to: nobody) == .refused(.refused(.gone)))
        #expect(refusal(await store.tags(of: nobody)) == .gone)
    }

    @Test("a removed tag can be given to another revision", arguments: StoreKind.allCases)
    func removing(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(in: store)
        let name = try #require(TagName("a"))
        #expect(try await store.removeTag(name, from: id).get() == false)
        #expect(await store.addTag(try tag("a", 1), to: id) == .tagged)
        #expect(try await store.removeTag(name, from: id).get())
        #expect(await store.addTag(try tag("a", 2), to: id) == .tagged)
        #expect(try await store.tags(of: id).get() == [try tag("a", 2)])
        #expect(refusal(await store.removeTag(name, from: DocumentID(999))) == .gone)
    }

    @Test("a document has at most as many tags as the limit", arguments: StoreKind.allCases)
    func limit(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(in: store)
        for name in ["a", "b"] { #expect(await store.addTag(try tag(name, 1), to: id, limit: 2) == .tagged) }
        #expect(await store.addTag(try tag("c", 1), to: id, limit: 2) == .tooMany)
        #expect(await store.addTag(try tag("b", 1), to: id, limit: 2) == .tagged)
        #expect(try await store.tags(of: id).get().count == 2)
    }

    /// Rule D17.
    @Test(
        "tags survive a rename and a deletion, and a trim removes those before it",
        arguments: StoreKind.allCases)
    func life(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(in: store)
        let all = [try tag("a", 1), try tag("b", 2), try tag("c", 3)]
        for tag in all { #expect(await store.addTag(tag, to: id) == .tagged) }
        #expect(await store.rename(id, to: try DocumentName("other")) == .renamed)
        #expect(try await store.tags(of: id).get() == all)
        #expect(await store.delete(id, at: 8) == nil)
        #expect(refusal(await store.tags(of: id)) == .gone)
        #expect(await store.addTag(try tag("d", 1), to: id) == .refused(.refused(.gone)))
        guard case .undeleted = await store.undelete(id) else {
            throw Unexpected(what: "the document was not undeleted")
        }
        #expect(try await store.tags(of: id).get() == all)
        #expect(await store.trim(id, through: 2) == .trimmed(start: 2))
        #expect(try await store.tags(of: id).get() == Array(all.dropFirst()))
        #expect(await store.addTag(try tag("a", 1), to: id) == .refused(.trimmed(start: 2)))
    }

    @Test(
        "a tag is 1 to 64 ASCII letters, digits, -, _ and ., with a letter first",
        arguments: ["", "1a", "-a", ".", "a b", "a@b", "a/b", "é", "a\u{301}", "a\n"])
    func wrongNames(name: String) {
        #expect(TagName(name) == nil)
        #expect(TagName("aZ.9-_")?.text == "aZ.9-_")
        #expect(TagName(String(repeating: "a", count: TagName.longest)) != nil)
        #expect(TagName(String(repeating: "a", count: TagName.longest + 1)) == nil)
    }

    @Test("a purge removes the tags, and a check finds tags of no document")
    func purge() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let (kept, purged) = (try await document(in: store), try await store.created("b"))
        for id in [kept, purged] { #expect(await store.addTag(try tag("a", 0), to: id) == .tagged) }
        #expect(await store.delete(purged, at: 1_000) == nil)
        await store.runUpkeep(at: 31 * StoreSettings.day)
        #expect(try scratch.count("tag") == 1)
        #expect(try await store.tags(of: kept).get().count == 1)
        await store.close()
        try Database(path: scratch.databasePath, for: .write).execute("UPDATE tag SET document = 99")
        let findings = try SQLiteStore.verify(folder: scratch.path).findings
        #expect(findings.contains { $0.fault == .orphans("tag") && $0.document == nil })
    }

    @Test("tags are on disk, and a check finds a damaged one")
    func onDisk() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        var store = try SQLiteStore(folder: scratch.path)
        let id = try await document(in: store)
        #expect(await store.addTag(try tag("a", 1), to: id) == .tagged)
        await store.close()
        store = try SQLiteStore(folder: scratch.path)
        #expect(try await store.tags(of: id).get() == [try tag("a", 1)])
        #expect(try await store.verify().isSound)
        await store.close()
        for damage in ["name = x'61FF'", "revision = 2", "user = x'62'", "time = 8", "sum = sum + 1"] {
            let copy = try Scratch()
            defer { copy.remove() }
            store = try SQLiteStore(folder: copy.path)
            let id = try await document(in: store)
            #expect(await store.addTag(try tag("a", 1), to: id) == .tagged)
            await store.close()
            try DataFolder(copy.path).openForWriting().execute("UPDATE tag SET \(damage)")
            store = try SQLiteStore(folder: copy.path)
            #expect(try await store.verify().findings.map(\.fault) == [.tag], "\(damage)")
            #expect(refusal(await store.tags(of: id)) == .damaged, "\(damage)")
            await store.close()
        }
    }
}
