/// Limits how many unknown tokens each address may send, so that nobody can guess a token.
///
/// Each address has a few slots. Each lookup of a token first reserves a slot, so that parallel lookups are
/// limited too. A known token returns its slot at once. The slot of an unknown token becomes free some time
/// later. The limiter remembers an address while one of its slots is reserved. So an attacker cannot free
/// reserved slots by sending from many other addresses. When the table of addresses is full, all further
/// addresses share common slots. Times are in milliseconds of a clock that never goes back.
package struct GuessLimiter: Sendable {
    package enum Decision: Equatable, Sendable {
        case lookUp(Slot)
        case refuse(retryAfterMilliseconds: Int)
    }

    /// The kind of slot that a lookup reserves.
    package enum Slot: Equatable, Sendable {
        case perAddress(AddressBlock)
        case shared
    }

    /// Slots that become free one after the other.
    package struct Allowance {
        let slots: Int64
        /// Milliseconds until one more slot becomes free.
        package let interval: Int64
    }

    /// Enough slots for a person who mistypes a token, or for a program that retries with an old token.
    package static let perAddress = Allowance(slots: 10, interval: 6_000)
    /// All addresses that do not fit in the table share these slots. These are enough for people who log in
    /// during a flood.
    static let shared = Allowance(slots: 1_000, interval: 10)
    /// A full table takes a few megabytes. To keep it full, an attacker must send this many guesses every few
    /// seconds.
    package static let mostAddresses = 65_536
    /// Milliseconds between two searches for addresses to remove. Each search checks all addresses.
    static let sweepInterval: Int64 = 1_000

    /// The time when all slots of an address are free.
    private var freeAt: [AddressBlock: Int64] = [:]
    private var sharedFreeAt: Int64 = 0
    private var nextSweep: Int64 = 0

    package init() {}

    package var addressCount: Int { freeAt.count }

    /// Reserves a slot for the lookup of a token, or refuses the token.
    package mutating func reserveSlot(for address: AddressBlock, at now: Int64) -> Decision {
        if freeAt[address] == nil, freeAt.count >= GuessLimiter.mostAddresses { sweep(at: now) }
        if freeAt[address] != nil || freeAt.count < GuessLimiter.mostAddresses {
            var time = freeAt[address] ?? now
            let wait = GuessLimiter.perAddress.consume(&time, at: now)
            if let wait { return .refuse(retryAfterMilliseconds: Int(wait)) }
            freeAt[address] = time
            return .lookUp(.perAddress(address))
        }
        if let wait = GuessLimiter.shared.consume(&sharedFreeAt, at: now) {
            return .refuse(retryAfterMilliseconds: Int(wait))
        }
        return .lookUp(.shared)
    }

    /// Frees the slot of a token that was known or could not be looked up.
    package mutating func freeSlot(_ slot: Slot, at now: Int64) {
        switch slot {
        case .shared: sharedFreeAt -= GuessLimiter.shared.interval
        case .perAddress(let address):
            guard let time = freeAt[address] else { return }
            let earlier = time - GuessLimiter.perAddress.interval
            freeAt[address] = earlier > now ? earlier : nil
        }
    }

    private mutating func sweep(at now: Int64) {
        if now < nextSweep { return }
        nextSweep = now + GuessLimiter.sweepInterval
        freeAt = freeAt.filter { $0.value > now }
    }
}

extension GuessLimiter.Allowance {
    /// Reserves a slot and returns nil, or returns the milliseconds until a slot is free.
    fileprivate func consume(_ freeAt: inout Int64, at now: Int64) -> Int64? {
        let time = max(freeAt, now) + interval
        let wait = time - now - slots * interval
        if wait > 0 { return wait }
        freeAt = time
        return nil
    }
}
