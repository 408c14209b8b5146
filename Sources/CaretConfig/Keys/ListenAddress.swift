import Glibc

/// An address and a port to listen on, such as `127.0.0.1:22738` or `[::1]:22738`.
///
/// The only allowed name is `localhost`, which means 127.0.0.1. Other names could resolve to a different
/// address each time.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Family: Sendable {
        case ipv4, ipv6
    }

    package let family: Family
    /// 4 or 16 bytes, in network order.
    package let bytes: [UInt8]
    /// With 0 the system chooses the port.
    package let port: UInt16

    package static func loopback(port: UInt16) -> ListenAddress {
        ListenAddress(family: .ipv4, bytes: [127, 0, 0, 1], port: port)
    }

    /// `bytes` is in network order.
    package init(family: Family, bytes: [UInt8], port: UInt16) {
        precondition(bytes.count == (family == .ipv4 ? 4 : 16), "an address cannot have \(bytes.count) bytes")
        self.family = family
        self.bytes = bytes
        self.port = port
    }

    /// Parses an address with a port. Nil if the text is not such an address.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.isDigits, digits.utf8.count <= 5, let port = UInt16(digits) else { return nil }
        let host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let family = isBracketed ? Family.ipv6 : .ipv4
        let literal =
            isBracketed ? String(host.dropFirst().dropLast()) : host == "localhost" ? "127.0.0.1" : host
        guard let bytes = Self.bytes(of: literal, family) else { return nil }
        self.init(family: family, bytes: bytes, port: port)
    }

    /// The same address with another port.
    package func with(port: UInt16) -> ListenAddress {
        ListenAddress(family: family, bytes: bytes, port: port)
    }

    private static func bytes(of literal: String, _ family: Family) -> [UInt8]? {
        // A NUL would end the text for the C function that parses it.
        guard !literal.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16)
        return inet_pton(family.number, literal, &bytes) == 1 ? bytes : nil
    }

    /// The address without the port, in the usual notation.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let written = inet_ntop(family.number, bytes, &text, socklen_t(text.count))
        precondition(written != nil, "an address of \(bytes.count) bytes has no text form")
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// True if only this machine can reach the address.
    package var isLoopback: Bool {
        switch family {
        case .ipv4: bytes[0] == 127
        case .ipv6:
            bytes == Self.zeros(15) + [1] || bytes.starts(with: Self.zeros(10) + [0xFF, 0xFF, 127])
        }
    }

    /// True if the address stands for all addresses of the machine.
    package var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    package var description: String {
        switch family {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        }
    }
}

extension ListenAddress.Family {
    fileprivate var number: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }
}
