/// The text that the owner of a token shows: `caret_`, the token's number, `_`, and 256 bits that nobody can guess, as
/// letters and digits.
///
/// Whoever has it is its owner. It is told once and kept nowhere, and its description leaves out what is secret.
package struct TokenText: Equatable, Sendable {
    package let token: TokenID
    package let bytes: ByteString

    private static let prefix = ByteString("caret_")
    private static let end = UInt8(ascii: "_")
    /// Five bits each. Without `i`, `l`, `o` and `u`, so that nobody takes one for another; of one case, since a token may
    /// be read out.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package init(_ token: TokenID, secret: SIMD4<UInt64>) {
        self.token = token
        bytes = ByteString(
            utf8: TokenText.prefix.utf8 + Array("\(token.value)".utf8) + [TokenText.end]
                + TokenText.digits(of: secret))
    }

    /// 52 digits, the highest first; the last one has the one bit that is left.
    private static func digits(of secret: SIMD4<UInt64>) -> [UInt8] {
        let bits = secret.indices.flatMap { word in
            (0..<64).map { bit in secret[word] >> UInt64(63 - bit) & 1 }
        }
        return stride(from: 0, to: bits.count, by: 5).map { start in
            digits[Int(bits[start..<min(start + 5, bits.count)].reduce(0) { $0 << 1 | $1 })]
        }
    }

    /// Which token a text says that it is; nil where it has not the form. What is secret is not looked at.
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
