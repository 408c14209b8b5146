import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Tokens in SQLite") struct StoredTokenTests {
    /// Rule A3.
    @Test("no file has a token's secret, and the token is valid after reopening")
    func onDisk() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let text = try await store.addToken(of: UserName("ann"), .all, expires: 9, at: 7).get()
        #expect(await store.noteUses([TokenUse(text.token, at: 8)]) == nil)
        #expect(await store.noteEnds(of: [text.token]) == nil)
        let secret = Data(text.bytes.utf8.suffix(20))
        for bytes in try scratch.files().values { #expect(bytes.range(of: secret) == nil) }
        await store.close()
        for bytes in try scratch.files().values { #expect(bytes.range(of: secret) == nil) }
        let again = try SQLiteStore(folder: scratch.path)
        let token = try await again.token(shown: text.bytes).get()
        #expect(token.created == 7 && token.expires == 9 && token.hasEnded)
        #expect(try await again.tokens().get().items == [.sound(token, lastUse: 8)])
        let next = try await again.addToken(of: UserName("ann"), .all).get()
        #expect(next.token > text.token && next.bytes.utf8.suffix(52) != text.bytes.utf8.suffix(52))
        await again.close()
    }

    /// Rule A5.
    @Test(
        "a damaged token row is refused, and the other tokens stay valid",
        arguments: [
            "user = CAST('bob' AS BLOB)", "user = x'FF'", "digest = zeroblob(32)", "digest = x'00'",
            "digest = (SELECT digest FROM token WHERE id = 2)", "created = created + 1",
            "grants = (SELECT grants FROM token WHERE id = 2)", "grants = x'0301'", "grants = x''",
            "grants_sum = 0", "sum = sum + 1",
        ])
    func damaged(damage: String) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let events = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path)
        let ann = try await store.addToken(of: UserName("ann"), TokenContractTests.some(), expires: 9).get()
        let bob = try await store.addToken(of: UserName("bob"), .all).get()
        await store.close()
        #expect(try SQLiteStore.verify(folder: scratch.path).tokens == 2)
        try DataFolder(scratch.path).openForWriting().execute("UPDATE token SET \(damage) WHERE id = 1")
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.token(ann.token)])
        let again = try SQLiteStore(folder: scratch.path) { events.add($0) }
        #expect(refusal(await again.token(shown: ann.bytes)) == .damaged)
        #expect(events.hasDamage)
        #expect(try await again.token(shown: bob.bytes).get().user == UserName("bob"))
        let listed = try await again.tokens().get().items
        #expect(listed.map(\.id) == [ann.token, bob.token] && listed[0] == .damaged(ann.token))
        #expect(await again.revokeToken(ann.token) == nil)
        #expect(try await again.verify().isSound)
        await again.close()
    }

    @Test(
        "a token is damaged if its end was changed, removed or added",
        arguments: [
            ("UPDATE token_end SET expires = 10", 1), ("DELETE FROM token_end", 1),
            ("INSERT INTO token_end (token, expires) VALUES (2, 9)", 2),
        ])
    func damagedEnd(damage: String, number: Int64) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let tokens = [
            try await store.addToken(of: UserName("ann"), .all, expires: 9).get(),
            try await store.addToken(of: UserName("bob"), .all).get(),
        ]
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(damage)
        let again = try SQLiteStore(folder: scratch.path)
        for text in tokens {
            let isDamaged = refusal(await again.token(shown: text.bytes)) == .damaged
            #expect(isDamaged == (text.token == TokenID(number)), "token \(text.token.value)")
        }
        #expect(await again.revokeToken(TokenID(number)) == nil)
        #expect(try await again.verify().isSound)
        await again.close()
    }

    @Test("a token row that got another ID is reported as damaged")
    func moved() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let ann = try await store.addToken(of: UserName("ann"), .all).get()
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute("UPDATE token SET id = 9")
        let again = try SQLiteStore(folder: scratch.path)
        let listed = try await again.tokens().get().items
        #expect(listed == [.damaged(TokenID(9))])
        #expect(refusal(await again.token(shown: ann.bytes)) == .gone)
        await again.close()
    }

    @Test("a backup contains the tokens")
    func backedUp() async throws {
        let (scratch, target) = (try Scratch(), try Scratch())
        defer { scratch.remove() }
        defer { target.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let text = try await store.addToken(of: UserName("ann"), .all).get()
        let report = try await store.backUp(to: target.databasePath, at: 1)
        #expect(report.isSound && report.tokens == 1)
        await store.close()
        let restored = try SQLiteStore(folder: target.path)
        #expect(try await restored.token(shown: text.bytes).get().id == text.token)
        await restored.close()
    }

    @Test(
        "a damaged sign-out is found, and no sign-out is read beyond it",
        arguments: ["name = x'FF'", "before = before + 1", "kind = 1", "kind = 2", "sum = 0"])
    func damagedSignOut(damage: String) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        for name in ["ann", "bob"] as [ByteString] {
            #expect(await store.signOut(.user(name), before: 5_000) == nil)
        }
        #expect(try await store.verify().isSound)
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(
            "UPDATE sign_out SET \(damage) WHERE number = 1")
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.count == 1)
        let again = try SQLiteStore(folder: scratch.path)
        #expect(refusal(await again.signOuts()) == .damaged)
        #expect(try await again.signOuts(after: 1).get().signOuts.map(\.subject) == [.user("bob")])
        await again.close()
    }
}
