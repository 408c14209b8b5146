/// A host with an optional port, as in the `Host` field.
package struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// In lower-case letters. An IPv6 address is in brackets.
    package let host: String
    package let port: Int?

    package init?(_ text: String) {
        // Only ASCII is accepted, because some letters outside ASCII become ASCII letters in lower case.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = text.lowercased()
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[...end])
            guard
                host.dropFirst().dropLast().utf8.allSatisfy({ $0.hexDigit != nil || $0 == 0x3A || $0 == 0x2E }
                ),
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
        guard text.first == ":", 1...5 ~= digits.utf8.count, digits.utf8.allSatisfy({ $0.isDigit }),
            let port = Int(digits), 1...65_535 ~= port
        else { return nil }
        return port
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { 1...63 ~= $0.count && $0.allSatisfy { $0.isNameByte } }
    }

    /// Whether this host can only mean this machine.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || ipv4?.first == 127
    }

    private var ipv4: [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt8($0) }
        // A part such as `010` is read as eight by some programs.
        guard parts.count == 4, numbers.map(String.init) == parts.map(String.init) else { return nil }
        return numbers
    }

    package var description: String { port.map { "\(host):\($0)" } ?? host }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "_")
    }
}
