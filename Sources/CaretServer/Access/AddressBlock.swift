import CaretLog

/// The addresses that one host may have: one IPv4 address, or all IPv6 addresses with the same first 64 bits.
package enum AddressBlock: Hashable, Sendable {
    case ip4(UInt32)
    case ip6(UInt64)

    /// Nil for addresses of this machine, because guesses from this machine are not limited. A limit would
    /// hardly help: a local attacker can do worse things than guess tokens. It would also be shared by all
    /// clients of a local proxy.
    package init?(_ address: SocketAddress) {
        if address.isLoopback { return nil }
        switch address.machine {
        case .ip4(let number, _): self = .ip4(number)
        case .ip6(let upper, _, _, _): self = .ip6(upper)
        case .unix: return nil
        }
    }

    var bytes: ByteString {
        switch self {
        case .ip4(let number): ByteString("4 \(number)")
        case .ip6(let upper): ByteString("6 \(upper)")
        }
    }
}
