import CaretServer
import Testing

@Suite("The limit on guesses of tokens")
struct GuessLimiterTests {
    private let guilty = AddressBlock.ip4(1)
    private static let interval = GuessLimiter.perAddress.interval

    /// Sends unknown tokens from an address until one is refused. Returns how many tokens were looked up, and
    /// how many milliseconds the address must wait for the next lookup.
    private func guess(
        _ limiter: inout GuessLimiter, from address: AddressBlock, at now: Int64
    ) -> (looks: Int, wait: Int) {
        var looks = 0
        while true {
            switch limiter.reserveSlot(for: address, at: now) {
            case .lookUp: looks += 1
            case .refuse(let wait): return (looks, wait)
            }
        }
    }

    /// Rule H6.
    @Test(
        "ten tokens of an address are looked up, and the eleventh is refused"
    )
    func limit() {
        var limiter = GuessLimiter()
        #expect(guess(&limiter, from: guilty, at: 5) == (10, 6_000))
        #expect(limiter.reserveSlot(for: .ip4(2), at: 5) == .lookUp(.perAddress(.ip4(2))))
        #expect(limiter.reserveSlot(for: .ip6(1), at: 5) == .lookUp(.perAddress(.ip6(1))))
    }

    /// Rule H6.
    @Test("after ten guesses, the next one is allowed after exactly six seconds")
    func nextOne() {
        var limiter = GuessLimiter()
        _ = guess(&limiter, from: guilty, at: 5)
        #expect(limiter.reserveSlot(for: guilty, at: 6_004) == .refuse(retryAfterMilliseconds: 1))
        #expect(limiter.reserveSlot(for: guilty, at: 6_005) == .lookUp(.perAddress(guilty)))
        #expect(limiter.reserveSlot(for: guilty, at: 6_005) == .refuse(retryAfterMilliseconds: 6_000))
        // A refused token reserves no slot. After a long pause the address has ten free slots, not more.
        #expect(guess(&limiter, from: guilty, at: 600_000) == (10, 6_000))
    }

    @Test("a valid token does not count as a guess")
    func known() {
        var limiter = GuessLimiter()
        for now in 0..<100 {
            #expect(limiter.reserveSlot(for: guilty, at: Int64(now)) == .lookUp(.perAddress(guilty)))
            limiter.freeSlot(.perAddress(guilty), at: Int64(now))
            #expect(limiter.addressCount == 0)
        }
        for _ in 0..<4 { _ = limiter.reserveSlot(for: guilty, at: 100) }
        _ = limiter.reserveSlot(for: guilty, at: 100)
        limiter.freeSlot(.perAddress(guilty), at: 101)
        #expect(guess(&limiter, from: guilty, at: 101).looks == 6)
    }

    @Test("a flood of addresses uses bounded memory, and guessers stay limited")
    func flood() {
        var limiter = GuessLimiter()
        _ = guess(&limiter, from: guilty, at: 0)
        var looks = 0
        for number in 0..<UInt64(200_000) {
            if case .lookUp = limiter.reserveSlot(for: .ip6(number), at: Int64(number / 100)) { looks += 1 }
        }
        #expect(limiter.addressCount == GuessLimiter.mostAddresses)
        // Each address sends one token. The addresses that fit into the table get a slot each. All other
        // addresses share a thousand slots, and one more every 10 ms.
        let flooding = (200_000 - GuessLimiter.mostAddresses) / 1_000
        #expect(looks <= GuessLimiter.mostAddresses + 1_000 + flooding + 1)
        #expect(looks > GuessLimiter.mostAddresses + 1_000)
        #expect(limiter.reserveSlot(for: guilty, at: 2_000) == .refuse(retryAfterMilliseconds: 4_000))
        #expect(limiter.reserveSlot(for: .ip6(0), at: 2_000) == .lookUp(.perAddress(.ip6(0))))
    }

    @Test("while the table of addresses is full, new addresses share one limit")
    func shared() {
        var limiter = GuessLimiter()
        for number in 0..<UInt64(GuessLimiter.mostAddresses) {
            _ = limiter.reserveSlot(for: .ip6(number), at: 0)
        }
        for _ in 0..<5_000 {
            #expect(limiter.reserveSlot(for: guilty, at: 1) == .lookUp(.shared))
            limiter.freeSlot(.shared, at: 1)
        }
        #expect(guess(&limiter, from: guilty, at: 1) == (1_000, 10))
        #expect(limiter.reserveSlot(for: .ip4(2), at: 1) == .refuse(retryAfterMilliseconds: 10))
        #expect(
            limiter.reserveSlot(for: guilty, at: GuessLimiterTests.interval) == .lookUp(.perAddress(guilty)))
        #expect(limiter.addressCount == 1)
    }

    /// Rule H6.
    @Test("IPv6 addresses are grouped by /64; IPv4-mapped ones count as IPv4")
    func blocks() {
        func block(_ upper: UInt64, _ lower: UInt64) -> AddressBlock? {
            AddressBlock(.ip6(upper, lower, scope: 0, port: 1))
        }
        #expect(block(7, 1) == block(7, .max) && block(7, 1) != block(8, 1))
        #expect(AddressBlock(.ip4(0x0A00_0001, port: 1)) == .ip4(0x0A00_0001))
        #expect(block(0, 0xFFFF_0A00_0001) == .ip4(0x0A00_0001))
        for address in [
            SocketAddress.ip4(0x7F00_0001, port: 1), .ip6(0, 1, scope: 0, port: 1), .unix(path: ""),
        ] {
            #expect(AddressBlock(address) == nil)
        }
    }

    @Test(
        "two addresses are of one machine if only their ports differ, or their form; a link-local one has its network"
    )
    func machines() {
        let ip4 = SocketAddress.ip4(0x0A00_0001, port: 0)
        #expect(SocketAddress.ip4(0x0A00_0001, port: 7).machine == ip4)
        #expect(SocketAddress.ip6(0, 0xFFFF_0A00_0001, scope: 0, port: 7).machine == ip4)
        #expect(SocketAddress.ip4(0x0A00_0002, port: 0).machine != ip4)
        #expect(SocketAddress.ip6(7, 1, scope: 0, port: 7).machine == .ip6(7, 1, scope: 0, port: 0))
        #expect(SocketAddress.ip6(7, 1, scope: 2, port: 0).machine != .ip6(7, 1, scope: 0, port: 0))
        // In these, the last 32 bits of an IPv4 address stand behind other bits.
        #expect(SocketAddress.ip6(0, 0x0A00_0001, scope: 0, port: 0).machine != ip4)
        #expect(SocketAddress.ip6(1, 0xFFFF_0A00_0001, scope: 0, port: 0).machine != ip4)
    }
}
