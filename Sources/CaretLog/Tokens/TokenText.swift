/// The text of a token, by which its user connects: `caret_`, the number of the token, `_`, and 256 random
/// bits as letters and digits.
///
/// The text gives all rights of the token. The server shows the text only once and does not store it.
/// `description` leaves out the secret part.
package struct TokenText: Equatable, Sendable {
    package let token: TokenID
    package let bytes: ByteString

    private static let prefix = ByteString("caret_")
    private static let end = UInt8(ascii: "_")
    /// Each digit encodes five bits. The letters `i`, `l`, `o` and `u` are missing, to avoid confusion. No
    /// capital letters are used, because people may read a token aloud.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package init(_ token: TokenID, secret: SIMD4<UInt64>) {
        self.token = token
        bytes = ByteString(
            utf8: TokenText.prefix.utf8 + Array("\(token.value)".utf8) + [TokenText.end]
                + TokenText.digits(of: secret))
    }

    /// The secret as 52 digits, the highest first. The last digit encodes the one remaining bit.
    private static func digits(of secret: SIMD4<UInt64>) -> [UInt8] {
        let bits = secret.indices.flatMap { word in
            (0..<64).map { bit in secret[word] >> UInt64(63 - bit) & 1 }
        }
        return stride(from: 0, to: bits.count, by: 5).map { start in
            digits[Int(bits[start..<min(start + 5, bits.count)].reduce(0) { $0 << 1 | $1 })]
        }
    }

    /// The id of the token that a text claims to be; nil if the text has another form. This method does not
    /// check the secret.
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
