/// The text of a token, which its owner sends: `caret_`, the number of the token, `_`, and 256 random bits as
/// letters and digits.
///
/// The text gives all rights of the token. It is shown once and stored nowhere, and `description`
/// leaves out the secret part.
package struct TokenText: Equatable, Sendable {
    package let token: TokenID
    package let bytes: ByteString

    private static let prefix = ByteString("caret_")
    private static let end = UInt8(ascii: "_")
    /// Five bits per digit. There is no `i`, `l`, `o` and `u`, to avoid confusion, and only one case, because
    /// people may read a token aloud.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package init(_ token: TokenID, secret: SIMD4<UInt64>) {
        self.token = token
        bytes = ByteString(
            utf8: TokenText.prefix.utf8 + Array("\(token.value)".utf8) + [TokenText.end]
                + TokenText.digits(of: secret))
    }

    /// 52 digits, the highest first. The last one has the one remaining bit.
    private static func digits(of secret: SIMD4<UInt64>) -> [UInt8] {
        let bits = secret.indices.flatMap { word in
            (0..<64).map { bit in secret[word] >> UInt64(63 - bit) & 1 }
        }
        return stride(from: 0, to: bits.count, by: 5).map { start in
            digits[Int(bits[start..<min(start + 5, bits.count)].reduce(0) { $0 << 1 | $1 })]
        }
    }

    /// The number of the token that a text claims to be; nil if it has another form. The secret is not
    /// checked.
    package static func token(in text: ByteString) -> TokenID? {
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        guard let end = rest.firstIndex(of: end) else { return nil }
        return Int64(String(decoding: rest[..<end], as: UTF8.self)).map { TokenID($0) }
    }
}

extension TokenText: CustomStringConvertible {
    package var description: String { "\(TokenText.prefix)\(token.value)_…" }
}
