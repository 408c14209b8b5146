/// Base64 with padding, as HTTP uses it (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(
                    index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil if the text is not Base64.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        if text.count % 4 != 0 || padding > 2 { return nil }
        var (bytes, bits) = ([UInt8](), 0)
        for (index, letter) in text.dropLast(padding).enumerated() {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 6 | value
            // Each letter has six bits, so each but the first of four completes a byte.
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (2 * (3 - index % 4)))) }
        }
        return bytes
    }

    /// Whether `text` has the form of sixteen bytes in base64.
    static func isSixteenBytes(_ text: [UInt8]) -> Bool {
        text.count == 24 && text[..<22].allSatisfy(alphabet.contains) && text[22...] == [61, 61]
    }
}
