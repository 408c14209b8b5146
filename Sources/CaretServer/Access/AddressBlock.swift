/// Addresses that one host may have, and so one guesser: an address of version 4, or the first 64 bits of one of version 6.
package enum AddressBlock: Hashable, Sendable {
    case ip4(UInt32)
    case ip6(UInt64)

    /// Nil for this machine itself: what guesses there can do worse, and those who come through a proxy on it would all be
    /// one guesser.
    package init?(_ address: SocketAddress) {
        if address.isLoopback { return nil }
        switch address {
        case .ip4(let number, _): self = .ip4(number)
        // An address of version 4 as one of version 6 has it.
        case .ip6(0, let lower, _, _) where lower >> 32 == 0xFFFF:
            self = .ip4(UInt32(truncatingIfNeeded: lower))
        case .ip6(let upper, _, _, _): self = .ip6(upper)
        case .unix: return nil
        }
    }
}
