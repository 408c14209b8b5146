/// A host with an optional port, as in the `Host` field.
struct Authority: Equatable, Sendable {
    /// In lower-case letters. An IPv6 address is in brackets.
    let host: String
    let port: Int?

    init?(_ text: String) {
        let text = text.lowercased()
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[...end])
            guard host.dropFirst().dropLast().utf8.allSatisfy({ $0.isHexDigit || $0 == 0x3A || $0 == 0x2E }),
                host.utf8.count > 2
            else { return nil }
            guard let port = Self.port(text[end...].dropFirst()) else { return nil }
            self.port = port
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
            guard Self.isName(host), let port = Self.port(text[end...]) else { return nil }
            self.port = port
        }
    }

    /// Reads an empty text, or a colon and a number.
    private static func port(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        let digits = text.dropFirst()
        guard text.first == ":", 1...5 ~= digits.utf8.count, digits.utf8.allSatisfy(\.isDigit),
            let port = Int(digits), 1...65_535 ~= port
        else { return nil }
        return port
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                label in
                1...63 ~= label.count
                    && label.allSatisfy {
                        $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-")
                            || $0 == UInt8(ascii: "_")
                    }
            }
    }

    /// Whether only this machine can be meant.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || ipv4?.first == 127
    }

    /// Whether the host is a number, so that no name was looked up.
    var isAddress: Bool { host.hasPrefix("[") || ipv4 != nil }

    private var ipv4: [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt8($0) }
        // A part such as `010` is read as eight by some programs.
        guard parts.count == 4, numbers.map(String.init) == parts.map(String.init) else { return nil }
        return numbers
    }
}

/// The scheme, host and port of a page, as in the `Origin` field.
struct Origin: Equatable, Sendable {
    let isSecure: Bool
    let host: String
    let port: Int

    /// Returns nil for `null`, and for schemes other than http and https.
    init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://"),
            let authority = Authority(String(text.dropFirst(scheme.count + 3)))
        else { return nil }
        self.init(isSecure: scheme == "https", authority)
    }

    init(isSecure: Bool, _ authority: Authority) {
        self.isSecure = isSecure
        host = authority.host
        port = authority.port ?? (isSecure ? 443 : 80)
    }
}
