/// From where too many unknown tokens were shown of late.
///
/// A value; its times are in milliseconds of a clock that only goes forward. Each look at a token takes a place up front,
/// so that many at once are no more than many in turn. A token that is known gives its place back; the place of one that is
/// not is free again some time later. No address that has a place taken is ever let go to make room for another, so nobody
/// gets new places by coming from many addresses: those that find no room share places of their own.
package struct GuessLimiter: Sendable {
    package enum Decision: Equatable, Sendable {
        case look(Place)
        case refuse(retryAfterMilliseconds: Int)
    }

    /// What a look at a token takes.
    package enum Place: Equatable, Sendable {
        case own(AddressBlock)
        case shared
    }

    /// Places that become free one after the other.
    package struct Allowance {
        let places: Int64
        /// Milliseconds until the next one is free.
        package let interval: Int64
    }

    /// More than a person mistypes, or a program that was not told of a new token shows, before somebody looks.
    package static let own = Allowance(places: 10, interval: 6_000)
    /// For all that find no room: enough for those who come in while others flood.
    static let shared = Allowance(places: 1_000, interval: 10)
    /// Some megabytes; to keep so many takes as many guesses every few seconds.
    package static let mostAddresses = 65_536
    /// Milliseconds between two looks for addresses that need not be kept: each goes through all of them.
    static let sweepInterval: Int64 = 1_000

    /// When all places of an address are free.
    private var freeAt: [AddressBlock: Int64] = [:]
    private var sharedFreeAt: Int64 = 0
    private var nextSweep: Int64 = 0

    package init() {}

    package var addressCount: Int { freeAt.count }

    /// Somebody shows a token from an address.
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

    /// The token was known, or could not be looked up: its place is free.
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
    /// Takes a place; where none is free, says in how many milliseconds one will be.
    fileprivate func take(_ freeAt: inout Int64, at now: Int64) -> Int64? {
        let time = max(freeAt, now) + interval
        let wait = time - now - places * interval
        if wait > 0 { return wait }
        freeAt = time
        return nil
    }
}
