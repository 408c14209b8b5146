import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Synchronization
import TestSupport
import Testing

@Suite("How a token identifies a user")
struct TokenAuthenticatorTests {
    private let store = MemoryStore()
    private let time = Clock()
    private let authenticator: TokenAuthenticator
    private let far = ListenerKind.address(.ip4(0x0A00_0001, port: 5))

    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    init() {
        let time = time
        authenticator = TokenAuthenticator(store) { time.now.load(ordering: .relaxed) }
    }

    private func identified(
        _ token: String?, at listenerKind: ListenerKind, by other: TokenAuthenticator? = nil
    ) async -> Authentication {
        await withCheckedContinuation { done in
            (other ?? authenticator).identify(token.map { WireString($0) }, at: listenerKind) {
                done.resume(returning: $0)
            }
        }
    }

    /// Rule H5.
    @Test("a token identifies its user with its grants, until it is revoked")
    func known() async throws {
        let grants = Grants([Grant(.read, to: .prefix("a"))])!
        let text = try await store.addToken(of: UserName("ann"), grants, expires: 9).get()
        let identity = Identity(user: "ann", token: text.token, grants: grants, expires: 9)
        #expect(await identified(text.bytes.string, at: far) == .known(identity))
        #expect(await identified(text.bytes.string + "0", at: far) == .unknown)
        #expect(await identified(nil, at: far) == .unknown)
        _ = await store.noteEnds(of: [text.token])
        let ended = Identity(user: "ann", token: text.token, grants: grants, expires: 9, hasEnded: true)
        #expect(await identified(text.bytes.string, at: far) == .known(ended))
        _ = await store.revokeToken(text.token)
        #expect(await identified(text.bytes.string, at: far) == .unknown)
    }

    @Test("every client of the admin socket is an admin")
    func adminSocket() async {
        for token in [nil, "x"] { #expect(await identified(token, at: .adminSocket) == .known(.admin)) }
        #expect(Identity.admin.user == "admin" && Identity.admin.grants.isForServer)
    }

    /// Rule H6.
    @Test("after ten unknown tokens from an address, a token that this server has not seen must wait")
    func guessing() async throws {
        let text = try await store.addToken(of: UserName("ann"), .all).get().bytes.string
        for _ in 0..<20 { #expect(await identified(nil, at: far) == .unknown) }
        for _ in 0..<10 { #expect(await identified("no", at: far) == .unknown) }
        #expect(await identified(text, at: far) == .tooOften(retryAfterMilliseconds: 6_000))
        #expect(await isKnown(text, at: .address(.ip4(0x0A00_0002, port: 5))))
        time.now.store(6_000, ordering: .relaxed)
        #expect(await isKnown(text, at: far))
        let near = ListenerKind.address(.ip4(0x7F00_0001, port: 5))
        for _ in 0..<20 { #expect(await identified("no", at: near) == .unknown) }
    }

    /// Rule H6.
    @Test("guesses do not delay a token from the same address that was accepted in the last day")
    func accepted() async throws {
        let text = try await store.addToken(of: UserName("ann"), .all).get()
        func guess() async { for _ in 0..<10 { _ = await identified("no", at: far) } }
        #expect(await isKnown(text.bytes.string, at: far))
        await guess()
        for _ in 0..<20 { #expect(await isKnown(text.bytes.string, at: far)) }
        time.now.store(AcceptedTokens.remembered - 1, ordering: .relaxed)
        await guess()
        #expect(await isKnown(text.bytes.string, at: far))
        time.now.store(2 * AcceptedTokens.remembered - 1, ordering: .relaxed)
        await guess()
        #expect(await identified(text.bytes.string, at: far) == .tooOften(retryAfterMilliseconds: 6_000))
        // A revoked token is looked up once more, and then it is a guess.
        time.now.store(3 * AcceptedTokens.remembered, ordering: .relaxed)
        #expect(await isKnown(text.bytes.string, at: far))
        _ = await store.revokeToken(text.token)
        await guess()
        #expect(await identified(text.bytes.string, at: far) == .unknown)
        #expect(await identified(text.bytes.string, at: far) == .tooOften(retryAfterMilliseconds: 6_000))
    }

    /// Rule H6.
    @Test("a good signed token never waits; bad ones take the slots of unknown tokens, and then must wait")
    func signed() async {
        let time = time
        let ann = Identity(
            user: "ann", .signed(SignedCredential(key: "key", issued: 0, end: 9)), grants: .all)
        let signing = TokenAuthenticator(
            store, now: { time.now.load(ordering: .relaxed) },
            signedCheck: { token in
                switch token.string {
                case "good": { .known(ann) }
                case "ended": { .ended("it has ended") }
                case "bad": { .refused("it is bad") }
                default: nil
                }
            })
        func identified(_ token: String) async -> Authentication {
            await self.identified(token, at: far, by: signing)
        }
        for _ in 0..<20 { #expect(await identified("ended") == .ended("it has ended")) }
        for _ in 0..<10 { #expect(await identified("bad") == .refused("it is bad")) }
        #expect(await identified("bad") == .tooOften(retryAfterMilliseconds: 6_000))
        #expect(await identified("stored") == .tooOften(retryAfterMilliseconds: 6_000))
        #expect(await identified("good") == .known(ann))
        time.now.store(6_000, ordering: .relaxed)
        #expect(await identified("stored") == .unknown)
    }

    /// Rule H12.
    @Test(
        "a client without a token is a guest if guests may read something, and one with a wrong token never is"
    )
    func guests() async {
        let grants = Grants([Grant(.read, to: .prefix("public/"))])!
        let open = TokenAuthenticator(store, guests: { grants })
        for port in [5, 6] as [UInt16] {
            let guest = Identity(user: "anonymous", .guest("4 167772161"), grants: grants)
            #expect(
                await identified(nil, at: .address(.ip4(0x0A00_0001, port: port)), by: open) == .known(guest))
        }
        let near = Identity(user: "anonymous", .guest(nil), grants: grants)
        #expect(await identified(nil, at: .address(.ip4(0x7F00_0001, port: 5)), by: open) == .known(near))
        #expect(await identified("wrong", at: far, by: open) == .unknown)
    }

    @Test("the table of accepted tokens is bounded, and forgets old ones")
    func manyAccepted() {
        func digest(_ number: Int) -> Digest { Digest(SIMD4(UInt64(number), 0, 0, 0)) }
        var tokens = AcceptedTokens()
        for number in 0...AcceptedTokens.most { tokens.add(digest(number), at: 5) }
        #expect(tokens.contains(digest(AcceptedTokens.most - 1), at: 5))
        #expect(!tokens.contains(digest(AcceptedTokens.most), at: 5))
        tokens.add(digest(AcceptedTokens.most), at: 5 + AcceptedTokens.remembered)
        #expect(tokens.contains(digest(AcceptedTokens.most), at: 5 + AcceptedTokens.remembered))
        tokens.remove(digest(AcceptedTokens.most))
        #expect(!tokens.contains(digest(AcceptedTokens.most), at: 5 + AcceptedTokens.remembered))
    }

    /// Rules H5 and A5.
    @Test("a token whose lookup fails is refused, and does not count as a guess")
    func failed() async throws {
        let text = try await store.addToken(of: UserName("ann"), .all).get()
        store.arrange { $0.damage(text.token) }
        for _ in 0..<20 { #expect(await identified(text.bytes.string, at: far) == .failed) }
    }

    @Test("failed logins are reported; those without a token, at a limited rate")
    func failures() async throws {
        let (time, failures) = (time, Failures())
        let authenticator = TokenAuthenticator(
            store, now: { time.now.load(ordering: .relaxed) }, failed: { failures.add($0, $1) })
        func come(_ token: String?, _ number: UInt16) async {
            let _: Authentication = await withCheckedContinuation { done in
                authenticator.identify(
                    token.map { WireString($0) }, at: .address(.ip4(0x0A00_0001, port: number))
                ) { done.resume(returning: $0) }
            }
        }
        let text = try await store.addToken(of: UserName("ann"), .all).get().bytes.string
        await come(text, 1)
        await come("no", 2)
        #expect(failures.all == ["10.0.0.1:2 unknownToken"])
        for number in UInt16(3)..<60 { await come(nil, number) }
        #expect(failures.all.dropFirst() == (3..<13).map { "10.0.0.1:\($0) noToken" }[...])
        time.now.store(6_000, ordering: .relaxed)
        for number in UInt16(60)..<70 { await come(nil, number) }
        #expect(failures.all.dropFirst(11) == ["10.0.0.1:60 noToken"])
        // Tokens that are refused without a lookup are not reported as failed logins.
        for number in UInt16(70)..<90 { await come("no", number) }
        #expect(failures.all.count == 12 + 10)
    }

    private final class Failures: Sendable {
        private let found = Mutex<[String]>([])

        var all: [String] { found.withLock(\.self) }

        func add(_ address: SocketAddress, _ reason: TokenAuthenticator.Failure) {
            found.withLock { $0.append("\(address) \(reason)") }
        }
    }

    private func isKnown(_ token: String, at listenerKind: ListenerKind) async -> Bool {
        if case .known = await identified(token, at: listenerKind) { true } else { false }
    }
}
