/// The addresses from which too many unknown tokens came recently.
///
/// A value; its times are in milliseconds of a clock that never goes back. Each lookup of a token reserves a
/// slot first, so that many lookups at once count like many in a row. A known token returns its slot. The
/// slot of an unknown token becomes free some time later. An address with a reserved slot is never forgotten,
/// so nobody gets new slots by using many addresses. Addresses that no longer fit share common slots.
package struct GuessLimiter: Sendable {
    package enum Decision: Equatable, Sendable {
        case look(Place)
        case refuse(retryAfterMilliseconds: Int)
    }

    /// What a lookup of a token reserves.
    package enum Place: Equatable, Sendable {
        case own(AddressBlock)
        case shared
    }

    /// Slots that become free one after the other.
    package struct Allowance {
        let places: Int64
        /// Milliseconds until the next slot is free.
        package let interval: Int64
    }

    /// More than a person mistypes, or a program with an old token sends, before somebody notices.
    package static let own = Allowance(places: 10, interval: 6_000)
    /// For all addresses that do not fit. Enough for people who log in during a flood.
    static let shared = Allowance(places: 1_000, interval: 10)
    /// Takes a few megabytes. Filling it takes as many guesses every few seconds.
    package static let mostAddresses = 65_536
    /// Milliseconds between two searches for addresses that can be forgotten. Each search checks all of them.
    static let sweepInterval: Int64 = 1_000

    /// When all slots of an address are free.
    private var freeAt: [AddressBlock: Int64] = [:]
    private var sharedFreeAt: Int64 = 0
    private var nextSweep: Int64 = 0

    package init() {}

    package var addressCount: Int { freeAt.count }

    /// A client sends a token from an address.
    package mutating func shown(from address: AddressBlock, at now: Int64) -> Decision {
        if freeAt[address] == nil, freeAt.count >= GuessLimiter.mostAddresses { sweep(at: now) }
        if freeAt[address] != nil || freeAt.count < GuessLimiter.mostAddresses {
            var time = freeAt[address] ?? now
            let wait = GuessLimiter.own.take(&time, at: now)
            if let wait { return .refuse(retryAfterMilliseconds: Int(wait)) }
            freeAt[address] = time
            return .look(.own(address))
        }
        if let wait = GuessLimiter.shared.take(&sharedFreeAt, at: now) {
            return .refuse(retryAfterMilliseconds: Int(wait))
        }
        return .look(.shared)
    }

    /// The token was known, or could not be looked up, so its slot is free again.
    package mutating func cleared(_ place: Place, at now: Int64) {
        switch place {
        case .shared: sharedFreeAt -= GuessLimiter.shared.interval
        case .own(let address):
            guard let time = freeAt[address] else { return }
            let cleared = time - GuessLimiter.own.interval
            freeAt[address] = cleared > now ? cleared : nil
        }
    }

    private mutating func sweep(at now: Int64) {
        if now < nextSweep { return }
        nextSweep = now + GuessLimiter.sweepInterval
        freeAt = freeAt.filter { $0.value > now }
    }
}

extension GuessLimiter.Allowance {
    /// Reserves a slot, or returns the milliseconds until one is free.
    fileprivate func take(_ freeAt: inout Int64, at now: Int64) -> Int64? {
        let time = max(freeAt, now) + interval
        let wait = time - now - places * interval
        if wait > 0 { return wait }
        freeAt = time
        return nil
    }
}
