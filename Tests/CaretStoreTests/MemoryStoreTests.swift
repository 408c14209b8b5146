import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The store in memory") struct MemoryStoreTests {
    @Test("if the disk is full, writes are refused until there is space again")
    func full() async throws {
        let store = MemoryStore()
        let document = try await prepared(store)
        let append = try Append(
            document: document.id, epoch: document.epoch, expected: 0,
            changes: [SampleLog.pushed(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)])
        store.arrange { $0.trouble = .full }
        #expect(await store.append(append) == .diskFull)
        #expect(await store.create(try DocumentName("b")) == .refused(.full))
        #expect(try await store.text(of: document.id).get().text == TextBuffer())
        store.arrange { $0.trouble = nil }
        #expect(await store.append(append) == .committed(head: 1))
        store.arrange { $0.trouble = .failed }
        #expect(await store.append(append) == .diskFailed)
    }

    @Test("a damaged document is closed, and the others stay available")
    func damaged() async throws {
        let store = MemoryStore()
        let document = try await prepared(store)
        _ = await store.create(try DocumentName("other"))
        store.arrange { $0.damage(document.id) }
        #expect(refusal(await store.text(of: document.id)) == .refused(.damaged))
        #expect(await store.create(document.name) == .refused(.damaged))
        #expect(refusal(await store.find(try DocumentName("other"))) == nil)
    }

    @Test("if the disk is full, token changes fail; a damaged token is refused")
    func tokens() async throws {
        let store = MemoryStore()
        let user = try UserName("ann")
        let text = try await store.addToken(of: user, .all).get()
        for (trouble, answer) in [(StoreModel.Trouble.full, StoreRefusal.full), (.failed, .failed)] {
            store.arrange { $0.trouble = trouble }
            #expect(refusal(await store.addToken(of: user, .all)) == answer)
            #expect(await store.revokeToken(text.token) == answer)
            #expect(await store.noteUses([TokenUse(text.token, at: 1)]) == answer)
            #expect(refusal(await store.token(shown: text.bytes)) == nil)
        }
        store.arrange { model in
            model.trouble = nil
            model.damage(text.token)
        }
        #expect(refusal(await store.token(shown: text.bytes)) == .damaged)
        #expect(try await store.tokens().get().items == [.damaged(text.token)])
        #expect(await store.revokeToken(text.token) == nil)
    }

    private func prepared(_ store: MemoryStore) async throws -> DocumentEntry {
        guard case .created(let entry) = await store.create(try DocumentName("a")) else {
            throw Unexpected(what: "the document was not created")
        }
        return entry
    }
}
