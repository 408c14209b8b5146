/// Where a server is.
public enum ServerAddress: Hashable, Sendable {
    case tcp(host: String, port: UInt16)
    /// A Unix socket.
    case unix(path: String)

    /// The port of a server that was not told another one.
    public static let defaultPort: UInt16 = 22738

    /// `host`, `host:port`, `[::1]:port`, or the path of a Unix socket, which has a slash; nil for anything else.
    public init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: "/")) {
            self = .unix(path: text)
            return
        }
        guard let (host, port) = ServerAddress.parts(of: text), !host.isEmpty else { return nil }
        guard let port else {
            self = .tcp(host: String(host), port: ServerAddress.defaultPort)
            return
        }
        // `UInt16` alone would accept a sign.
        guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt16(port), number > 0 else {
            return nil
        }
        self = .tcp(host: String(host), port: number)
    }

    private static func parts(of text: String) -> (host: Substring, port: Substring?)? {
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = text[text.utf8.index(after: text.startIndex)..<end]
            let rest = text[text.utf8.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            return rest.utf8.first == UInt8(ascii: ":") ? (host, rest.dropFirst()) : nil
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return (text[...], nil) }
        let rest = text[text.utf8.index(after: colon)...]
        // More colons are those of an address of version 6, whose port nobody could tell without brackets.
        return rest.utf8.contains(UInt8(ascii: ":")) ? (text[...], nil) : (text[..<colon], rest)
    }
}

extension ServerAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp(let host, let port):
            host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
