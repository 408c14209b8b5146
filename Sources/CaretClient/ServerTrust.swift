/// Which certificates a client trusts.
public enum ServerTrust: Hashable, Sendable {
    /// Certificates that an authority has issued which the system trusts.
    case system
    /// Certificates in this PEM file, and those that they have issued.
    case file(String)
    /// Only the certificate with this SHA-256. The certificate may contain any names and may have expired.
    case pinned(sha256: [UInt8])

    /// Reads the part of an address after `?`: `trust=FILE` or `pin=SHA256`. Returns nil for anything else.
    init?(query: String) {
        guard let end = query.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = String(query[query.utf8.index(after: end)...])
        switch query[..<end] {
        case "trust":
            if value.isEmpty || value.utf8.contains(0) { return nil }
            self = .file(value)
        case "pin":
            guard let digest = ServerTrust.digest(value) else { return nil }
            self = .pinned(sha256: digest)
        default: return nil
        }
    }

    /// The part of an address after the port.
    var query: String {
        switch self {
        case .system: ""
        case .file(let path): "?trust=" + path
        case .pinned(let digest):
            "?pin=" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// Reads 32 bytes as hexadecimal digits.
    private static func digest(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8).map { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        let known = digits.compactMap(\.self)
        guard known.count == 64, digits.count == 64 else { return nil }
        return (0..<32).map { known[2 * $0] << 4 | known[2 * $0 + 1] }
    }
}
