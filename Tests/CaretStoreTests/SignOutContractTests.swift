import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: sign-outs") struct SignOutContractTests {
    @Test("sign-outs are read in their order, page by page", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try kind.make()
        #expect(try await store.signOuts().get() == SignOutPage([], last: 0, hasMore: false))
        let long = ByteString(utf8: [UInt8](repeating: 0xC3, count: 128))
        let all = [
            SignOut(.user("ann"), before: 5_000), SignOut(.token("ann"), before: 3_000),
            SignOut(.user("bob/é"), before: 4_000), SignOut(.token(long), before: 9_000),
        ]
        for one in all { #expect(await store.signOut(one.subject, before: one.before) == nil) }
        var (read, last, pages): ([SignOut], Int64, Int) = ([], 0, 0)
        while true {
            let page = try await store.signOuts(after: last, limit: 3).get()
            #expect(page.signOuts.count <= 3)
            read += page.signOuts
            (last, pages) = (page.last, pages + 1)
            if !page.hasMore { break }
        }
        #expect(read == all && pages == 2)
        #expect(try await store.signOuts(after: last).get() == SignOutPage([], last: last, hasMore: false))
    }

    @Test(
        "a reader that follows the numbers misses no sign-out of many at once", arguments: StoreKind.allCases)
    func concurrent(kind: StoreKind) async throws {
        let store = try kind.make()
        var (read, last): (Set<SignOut.Subject>, Int64) = ([], 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    #expect(await store.signOut(.user(ByteString("u\(number)")), before: 5_000) == nil)
                }
            }
            while read.count < 40 {
                let page = try await store.signOuts(after: last).get()
                (read, last) = (read.union(page.signOuts.map(\.subject)), page.last)
            }
        }
        #expect(last == 40)
    }

    @Test("a sign-out replaces an earlier one of the same user or token", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) async throws {
        let store = try kind.make()
        for (subject, before): (SignOut.Subject, Int64) in [
            (.user("ann"), 5_000), (.token("ann"), 5_000), (.user("bob"), 5_000), (.user("ann"), 6_000),
            (.user("bob"), 4_000),
        ] {
            #expect(await store.signOut(subject, before: before) == nil)
        }
        let left = try await store.signOuts().get().signOuts
        // The later sign-out of bob is about an earlier time, so both stay.
        #expect(
            left == [
                SignOut(.token("ann"), before: 5_000), SignOut(.user("bob"), before: 5_000),
                SignOut(.user("ann"), before: 6_000), SignOut(.user("bob"), before: 4_000),
            ])
    }

    @Test("old sign-outs are removed, and a number is never used again", arguments: StoreKind.allCases)
    func forgotten(kind: StoreKind) async throws {
        let store = try kind.make()
        for before in [1_000, 2_000, 3_000] as [Int64] {
            #expect(await store.signOut(.user(ByteString("u\(before)")), before: before) == nil)
        }
        let last = try await store.signOuts().get().last
        #expect(await store.signOut(.user("ann"), before: 4_000, forgettingBefore: 3_000) == nil)
        let left = try await store.signOuts().get().signOuts.map(\.before)
        #expect(left == [3_000, 4_000])
        #expect(await store.signOut(.user("bob"), before: 9_000, forgettingBefore: 8_000) == nil)
        let news = try await store.signOuts(after: last).get()
        #expect(news.signOuts == [SignOut(.user("bob"), before: 9_000)] && news.last == last + 2)
    }
}
