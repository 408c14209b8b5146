package import Glibc

/// The address of a socket, or of its peer.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number, and the port.
    case ip4(UInt32, port: UInt16)
    /// The upper and the lower half of the address, the number of its network interface, and the port.
    case ip6(UInt64, UInt64, scope: UInt32, port: UInt16)
    /// A client of a Unix socket has an empty path.
    case unix(path: String)

    /// Returns the addresses of a host, given by name or by number. The list has at least one address.
    ///
    /// This call may wait for a DNS server, so never make it on a loop.
    package static func resolved(host: String, port: UInt16) throws(AddressFault) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else { throw .unknownHost(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(first) }
        let found = sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }
        return found.compactMap { $0?.pointee.ai_addr }.compactMap { SocketAddress($0) }
    }

    /// Nil if the address is neither IPv4, IPv6 nor a Unix socket.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self)
            self = .ip4(UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            let halves = withUnsafeBytes(of: address.sin6_addr) {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self = .ip6(
                UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1), scope: address.sin6_scope_id,
                port: UInt16(bigEndian: address.sin6_port))
        case AF_UNIX: self = .unix(path: "")
        default: return nil
        }
    }

    /// Whether a connection at this address can come from this machine only.
    package var isLoopback: Bool {
        switch self {
        case .ip4(let number, _): number >> 24 == 127
        case .ip6(let upper, let lower, _, _):
            upper == 0 && (lower == 1 || lower >> 24 == 0xFFFF_7F)
        case .unix: true
        }
    }

    /// The address without its port. An IPv4 address that is written as an IPv6 address becomes an IPv4 address.
    package var machine: SocketAddress {
        switch self {
        case .ip4(let number, _): .ip4(number, port: 0)
        case .ip6(0, let lower, _, _) where lower >> 32 == 0xFFFF:
            .ip4(UInt32(truncatingIfNeeded: lower), port: 0)
        case .ip6(let upper, let lower, let scope, _): .ip6(upper, lower, scope: scope, port: 0)
        case .unix: self
        }
    }

    /// The TCP port; nil for a Unix socket.
    package var port: UInt16? {
        switch self {
        case .ip4(_, let port), .ip6(_, _, _, let port): port
        case .unix: nil
        }
    }

    package var family: Int32 {
        switch self {
        case .ip4: AF_INET
        case .ip6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    package var description: String {
        switch self {
        case .ip4(_, let port): "\(numericHost):\(port)"
        case .ip6(_, _, _, let port): "[\(numericHost)]:\(port)"
        case .unix(let path): path
        }
    }

    private var numericHost: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .ip4(let number, _):
            var address = number.bigEndian
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .ip6(let upper, let lower, _, _):
            var address = [upper.bigEndian, lower.bigEndian]
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        case .unix: return ""
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Calls `body` with the address as a C structure.
    package func withSockaddr<Answer>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Answer
    ) throws(AddressFault) -> Answer {
        switch self {
        case .ip4(let number, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            return passing(&address, body)
        case .ip6(let upper, let lower, let scope, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) {
                $0.storeBytes(of: upper.bigEndian, as: UInt64.self)
                $0.storeBytes(of: lower.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return passing(&address, body)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // One byte is for the NUL at the end.
            let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
            guard path.utf8.count <= limit else { throw .longPath(bytes: path.utf8.count, limit: limit) }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return passing(&address, body)
        }
    }

    private func passing<Address, Answer>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Answer
    ) -> Answer {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// Why an address cannot be used.
package enum AddressFault: Error, Equatable, CustomStringConvertible {
    case unknownHost(String)
    case longPath(bytes: Int, limit: Int)

    package var description: String {
        switch self {
        case .unknownHost(let reason): "the host cannot be found: \(reason)"
        case .longPath(let bytes, let limit):
            "the path of the socket has \(bytes) bytes, but the system allows only \(limit)"
        }
    }
}
