#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The address of a server.
public enum ServerAddress: Hashable, Sendable {
    case tcp(host: String, port: UInt16)
    /// TCP with TLS.
    case tls(host: String, port: UInt16, trust: ServerTrust)
    /// A Unix socket.
    case unix(path: String)

    /// The port of a server, unless its configuration names another port.
    public static let defaultPort: UInt16 = 22738

    /// Reads `host`, `host:port`, `::1`, `[::1]:port`, or the path of a Unix socket, which must contain a
    /// slash. Returns nil for anything else, for example a URL of the web.
    ///
    /// `caret://host:port` means the same as `host:port`, and `carets://host:port` means TLS. After the port,
    /// `?trust=FILE` or `?pin=SHA256` says which certificates to trust instead of the system's.
    public init?(_ text: String) {
        if let rest = ServerAddress.rest(of: text, after: "carets://") {
            guard let (host, port, trust) = ServerAddress.secureParts(of: rest) else { return nil }
            self = .tls(host: host, port: port, trust: trust)
            return
        }
        if let rest = ServerAddress.rest(of: text, after: "caret://") {
            guard let (host, port) = ServerAddress.hostAndPort(rest) else { return nil }
            self = .tcp(host: host, port: port)
            return
        }
        if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            let (before, after) = (text.utf8[..<slash], text.utf8[slash...].dropFirst())
            let isURL = before.last == UInt8(ascii: ":") && after.first == UInt8(ascii: "/")
            if isURL { return nil }
            self = .unix(path: text)
            return
        }
        guard let (host, port) = ServerAddress.hostAndPort(text) else { return nil }
        self = .tcp(host: host, port: port)
    }

    var isPlainTCP: Bool {
        switch self {
        case .tcp: true
        case .tls, .unix: false
        }
    }

    private static func rest(of text: String, after scheme: String) -> String? {
        guard text.utf8.starts(with: scheme.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(scheme.utf8.count)))
    }

    private static func secureParts(of text: String) -> (host: String, port: UInt16, trust: ServerTrust)? {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        guard let (host, port) = hostAndPort(parts[0]) else { return nil }
        if parts.count == 1 { return (host, port, .system) }
        return ServerTrust(query: parts[1]).map { (host, port, $0) }
    }

    private static func hostAndPort(_ text: String) -> (host: String, port: UInt16)? {
        guard let (host, port) = parts(of: text) else { return nil }
        guard let port else { return (host, defaultPort) }
        // The digits are checked first, because `UInt16.init` also accepts a sign, as in `+80`.
        guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt16(port), number > 0 else {
            return nil
        }
        return (host, number)
    }

    /// Splits an address into host and port. Compares bytes, because Swift treats a colon and a combining
    /// mark after it as one Character.
    private static func parts(of text: String) -> (host: String, port: String?)? {
        let bytes = text.utf8
        let colon = UInt8(ascii: ":")
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let (host, rest) = (String(Substring(bytes[..<end].dropFirst())), bytes[end...].dropFirst())
            if !isVersion6(host) { return nil }
            if rest.isEmpty { return (host, nil) }
            return rest.first == colon ? (host, String(Substring(rest.dropFirst()))) : nil
        }
        let end = bytes.firstIndex(of: colon)
        let port = end.map { String(Substring(bytes[$0...].dropFirst())) }
        // Only an IPv6 address has more than one colon. An IPv6 address with a port needs brackets, so this
        // one has no port.
        if let port, port.utf8.contains(colon) { return isVersion6(text) ? (text, nil) : nil }
        let host = String(text[..<(end ?? bytes.endIndex)])
        return isName(host) ? (host, port) : nil
    }

    /// Whether `host` is an IPv6 address. It may have a zone: `fe80::1%eth0`.
    private static func isVersion6(_ host: String) -> Bool {
        let parts = host.utf8.split(
            separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !isName(String(Substring(parts[1]))) { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(Substring(parts[0])), &address) == 1
    }

    /// Whether `host` may be a host name or an IPv4 address. The system later finds out whether the host
    /// exists.
    private static func isName(_ host: String) -> Bool {
        let isAllowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }
        return !host.isEmpty && host.utf8.allSatisfy(isAllowed)
    }
}

extension ServerAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp(let host, let port): Self.text(host, port)
        case .tls(let host, let port, let trust): "carets://" + Self.text(host, port) + trust.query
        case .unix(let path): path
        }
    }

    private static func text(_ host: String, _ port: UInt16) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
