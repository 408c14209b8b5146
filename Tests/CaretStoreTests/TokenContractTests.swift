import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: tokens") struct TokenContractTests {
    static func some() throws -> Grants {
        let document = try DocumentName("pub/é\u{301}")
        return try #require(
            Grants([
                Grant(.read, to: .prefix("pub/")), Grant(.write, to: .document(document)),
                Grant(.admin, to: .prefix("")),
            ]))
    }

    private static func created(_ names: [DocumentName], in store: any DocumentStore) async throws
        -> [DocumentID]
    {
        var documents: [DocumentID] = []
        for name in names {
            guard case .created(let entry) = await store.create(name) else {
                throw Unexpected(what: "no \(name)")
            }
            documents.append(entry.id)
        }
        return documents
    }

    @Test(
        "a token is found by its text, with its user, grants and time", arguments: StoreKind.allCases)
    func known(kind: StoreKind) async throws {
        let store = try kind.make()
        let ann = try await store.addToken(of: UserName("ann"), TokenContractTests.some(), at: 7).get()
        let bob = try await store.addToken(of: UserName("bob/é"), .all, at: 5).get()
        let again = try await store.addToken(of: UserName("ann"), Grants([])!, at: 9).get()
        #expect(Set([ann, bob, again].map(\.token)).count == 3)
        #expect(Set([ann, bob, again].map(\.bytes)).count == 3)
        let tokens = [
            Token(
                id: ann.token, user: try UserName("ann"), grants: try TokenContractTests.some(), created: 7),
            Token(id: bob.token, user: try UserName("bob/é"), grants: .all, created: 5),
            Token(id: again.token, user: try UserName("ann"), grants: Grants([])!, created: 9),
        ]
        for (text, token) in zip([ann, bob, again], tokens) {
            #expect(try await store.token(shown: text.bytes).get() == token)
        }
        let all = try await store.tokens().get()
        #expect(
            all == TokenListing(items: tokens.map { .sound($0, lastUse: nil) }, hasMore: false))
    }

    /// The store has no clock, so a token that has ended is found like any other.
    @Test("a token keeps its end", arguments: StoreKind.allCases)
    func expires(kind: StoreKind) async throws {
        let store = try kind.make()
        let ends: [Int64?] = [nil, 0, 1_790_000_000_000, (1 << 53) - 1]
        for end in ends {
            let text = try await store.addToken(of: UserName("ann"), .all, expires: end, at: 5).get()
            #expect(try await store.token(shown: text.bytes).get().expires == end)
        }
        let listed = try await store.tokens().get().items.map { item -> Int64? in
            if case .sound(let token, _) = item { token.expires } else { nil }
        }
        #expect(listed == ends)
    }

    @Test("a token with an end is marked as ended", arguments: StoreKind.allCases)
    func ended(kind: StoreKind) async throws {
        let store = try kind.make()
        let ends: [Int64?] = [nil, 9, 9]
        var tokens: [TokenText] = []
        for end in ends {
            tokens.append(try await store.addToken(of: UserName("ann"), .all, expires: end, at: 5).get())
        }
        let marked = [tokens[0].token, tokens[1].token, TokenID(99)]
        for _ in 0..<2 { #expect(await store.noteEnds(of: marked) == nil) }
        #expect(await store.noteUses([TokenUse(tokens[1].token, at: 7)]) == nil)
        for (text, hasEnded) in zip(tokens, [false, true, false]) {
            #expect(try await store.token(shown: text.bytes).get().hasEnded == hasEnded)
        }
        let listed = try await store.tokens().get().items.map { item -> Bool? in
            if case .sound(let token, _) = item { token.hasEnded } else { nil }
        }
        #expect(listed == [false, true, false])
    }

    /// Rule R8.
    @Test("a link belongs to one document, which must have its name", arguments: StoreKind.allCases)
    func links(kind: StoreKind) async throws {
        let store = try kind.make()
        let names = try ["a", "b"].map { try DocumentName($0) }
        let documents = try await TokenContractTests.created(names, in: store)
        let link = try await store.addLink(to: documents[0], names[0], .write).get()
        let other = try await store.addLink(to: documents[1], names[1], .read).get()
        let user = try await store.addToken(of: UserName("ann"), .all).get()
        #expect(await store.addLink(to: documents[0], names[1], .read) == .failure(.gone))
        let expected = Token(
            id: link.token, user: .ofLink(link.token, to: documents[0]),
            grants: Grants(only: Grant(.write, to: .document(names[0]))), created: 5, expires: 9)
        #expect(try await store.token(shown: link.bytes).get() == expected)
        let listed = try await store.tokens(linksTo: documents[0]).get()
        #expect(listed == TokenListing(items: [.sound(expected, lastUse: nil)], hasMore: false))
        #expect(await store.revokeToken(link.token, linkTo: documents[1]) == .gone)
        #expect(await store.revokeToken(user.token, linkTo: documents[0]) == .gone)
        #expect(await store.revokeToken(link.token, linkTo: documents[0]) == nil)
        #expect(
            try await store.live([link, other, user].map(\.token)).get().sorted() == [
                other.token, user.token,
            ])
    }

    /// Rule R10.
    @Test("a rename and a deletion end the links to a document, and no others", arguments: StoreKind.allCases)
    func endedLinks(kind: StoreKind) async throws {
        let store = try kind.make()
        let names = try ["a", "b", "c", "d"].map { try DocumentName($0) }
        let documents = try await TokenContractTests.created(names, in: store)
        var links: [TokenText] = []
        for (document, name) in zip(documents, names) {
            for _ in 0..<2 { links.append(try await store.addLink(to: document, name, .read).get()) }
        }
        #expect(await store.noteUses(links.map { TokenUse($0.token, at: 7) }) == nil)
        #expect(await store.rename(documents[3], to: names[0]) == .exists)
        #expect(try await store.rename(documents[0], to: DocumentName("e")) == .renamed)
        #expect(await store.delete(documents[1], at: 8) == nil)
        #expect(try await store.live(links.map(\.token)).get().sorted() == links.suffix(4).map(\.token))
        for document in documents.prefix(2) {
            #expect(try await store.tokens(linksTo: document).get().items.isEmpty)
        }
        #expect(try await store.tokens().get().items.count == 4)
        #expect(await store.addLink(to: documents[1], names[1], .read) == .failure(.gone))
    }

    @Test("the last use of a token is the latest time that was noted", arguments: StoreKind.allCases)
    func uses(kind: StoreKind) async throws {
        let store = try kind.make()
        var tokens: [TokenText] = []
        for _ in 0..<3 { tokens.append(try await store.addToken(of: UserName("ann"), .all).get()) }
        let (ann, bob) = (tokens[0].token, tokens[1].token)
        func lastUses() async throws -> [Int64?] {
            try await store.tokens().get().items.map { item -> Int64? in
                if case .sound(_, let lastUse) = item { lastUse } else { nil }
            }
        }
        #expect(try await lastUses() == [nil, nil, nil])
        #expect(await store.noteUses([]) == nil)
        #expect(await store.noteUses([TokenUse(ann, at: 7), TokenUse(bob, at: 8)]) == nil)
        #expect(try await lastUses() == [7, 8, nil])
        let later = [TokenUse(ann, at: 6), TokenUse(bob, at: 9), TokenUse(TokenID(99), at: 9)]
        #expect(await store.noteUses(later) == nil)
        #expect(try await lastUses() == [7, 9, nil])
        #expect(await store.revokeToken(bob) == nil)
        #expect(await store.noteUses([TokenUse(bob, at: 10)]) == nil)
        #expect(try await lastUses() == [7, nil])
    }

    /// Rule A2.
    @Test("a text that differs in a single byte is not a token", arguments: StoreKind.allCases)
    func unknown(kind: StoreKind) async throws {
        let store = try kind.make()
        let ann = try await store.addToken(of: UserName("ann"), .all).get()
        let bob = try await store.addToken(of: UserName("bob"), .all).get()
        let text = ann.bytes.utf8
        var wrong = [
            ByteString(utf8: text.dropLast()), ByteString(utf8: text + [0]), ByteString(utf8: text + text),
            "",
            "caret_", "caret__", "caret_1", "caret_1_", "caret_-1_", "caret_0_", "caret_99_0",
            "caret_99999999999999999999_0", ByteString(utf8: Array("caret_99".utf8) + text.dropFirst(7)),
            ByteString(utf8: Array(bob.bytes.utf8.prefix(8)) + text.dropFirst(8)),
            ByteString(ann.bytes.string.uppercased()), ByteString(String(repeating: "x", count: 8_192)),
        ]
        for index in text.indices {
            var other = text
            other[index] ^= 1
            wrong.append(ByteString(utf8: other))
        }
        for text in wrong {
            #expect(refusal(await store.token(shown: text)) == .gone, "\(text)")
        }
    }

    /// Rule A3.
    @Test(
        "a revoked token is gone, and its number is never used again",
        arguments: StoreKind.allCases)
    func revoked(kind: StoreKind) async throws {
        let store = try kind.make()
        let ann = try await store.addToken(of: UserName("ann"), .all).get()
        let bob = try await store.addToken(of: UserName("bob"), .all).get()
        #expect(await store.revokeToken(bob.token) == nil)
        #expect(await store.revokeToken(bob.token) == .gone)
        #expect(await store.revokeToken(TokenID(999)) == .gone)
        #expect(await store.revokeToken(.unneeded) == .gone)
        #expect(refusal(await store.token(shown: bob.bytes)) == .gone)
        #expect(try await store.token(shown: ann.bytes).get().id == ann.token)
        #expect(try await store.tokens().get().items.map(\.id) == [ann.token])
        let next = try await store.addToken(of: UserName("bob"), .all).get()
        #expect(next.token > bob.token && next.bytes != bob.bytes)
    }

    @Test(
        "a token with the maximum number of grants and longest names is stored",
        arguments: StoreKind.allCases)
    func longest(kind: StoreKind) async throws {
        let store = try kind.make()
        let grants = try (0..<Grants.most).map { number in
            let name = String(repeating: "x", count: 508) + String(1_000 + number)
            let access = Access.allCases[number % Access.allCases.count]
            return Grant(
                access, to: number % 2 == 0 ? .prefix(ByteString(name)) : .document(try DocumentName(name)))
        }
        let user = try UserName(String(repeating: "é", count: 256))
        let text = try await store.addToken(of: user, Grants(grants)!).get()
        let token = try await store.token(shown: text.bytes).get()
        #expect(token.grants.grants == grants && token.user == user)
    }

    @Test(
        "a page of tokens is limited in number and in size",
        arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try kind.make()
        var tokens: [TokenID] = []
        for _ in 0..<5 { tokens.append(try await store.addToken(of: UserName("ann"), .all).get().token) }
        func page(_ after: Int?, _ limit: Int, _ weight: Int = .max) async throws -> (
            count: Int, hasMore: Bool
        ) {
            let page = try await store.tokens(
                after: after.map { tokens[$0] }, limit: limit, weighing: weight
            ).get()
            let start = after.map { $0 + 1 } ?? 0
            #expect(page.items.map(\.id) == Array(tokens[start..<start + page.items.count]))
            return (page.items.count, page.hasMore)
        }
        #expect(try await page(nil, 4) == (4, true))
        #expect(try await page(nil, 5) == (5, false))
        #expect(try await page(1, 2) == (2, true))
        #expect(try await page(1, 3) == (3, false))
        #expect(try await page(4, 3) == (0, false))
        #expect(try await page(nil, 0) == (0, true))
        guard case .sound(let token, _) = try await store.tokens(limit: 1).get().items[0] else {
            throw Unexpected(what: "a token is damaged")
        }
        let weight = token.weight
        #expect(try await page(nil, 9, weight * 3) == (3, true))
        #expect(try await page(nil, 9, weight * 3 - 1) == (2, true))
        #expect(try await page(nil, 9, weight * 5) == (5, false))
        #expect(try await page(nil, 9, 0) == (1, true))
        #expect(try await page(3, 9, 0) == (1, false))
    }
}
