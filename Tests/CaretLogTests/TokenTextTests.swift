import CaretLog
import Testing

@Suite("Text of a token")
struct TokenTextTests {
    /// Rule A2.
    @Test("a token's text has its number and all 256 secret bits, in lowercase")
    func form() {
        let none = TokenText(TokenID(7), secret: SIMD4(repeating: 0))
        let zeros = String(repeating: "0", count: 52)
        #expect(none.bytes == ByteString("caret_7_" + zeros))
        let all = TokenText(TokenID(7), secret: SIMD4(repeating: .max))
        #expect(all.bytes == ByteString("caret_7_" + String(repeating: "z", count: 51) + "1"))
        let first = TokenText(TokenID(1), secret: SIMD4(1 << 63, 0, 0, 0))
        #expect(first.bytes == ByteString("caret_1_g" + zeros.dropFirst()))
        for (value, digit) in "0123456789abcdefghjkmnpqrstvwxyz".enumerated() {
            let text = TokenText(TokenID(1), secret: SIMD4(UInt64(value) << 59, 0, 0, 0))
            #expect(text.bytes == ByteString("caret_1_\(digit)" + zeros.dropFirst()))
        }
        var texts: Set<ByteString> = [none.bytes]
        for word in 0..<4 {
            for bit in UInt64(0)..<64 {
                var secret = SIMD4<UInt64>(repeating: 0)
                secret[word] = 1 << bit
                texts.insert(TokenText(TokenID(7), secret: secret).bytes)
            }
        }
        #expect(texts.count == 257)
    }

    @Test("a token's number can be read only from a text of the right form")
    func number() {
        let text = TokenText(TokenID(.max), secret: SIMD4(repeating: 5))
        #expect(TokenText.token(in: text.bytes) == TokenID(.max))
        for other: ByteString in ["", "caret_", "caret_7", "caret__0", "caret_x_0", "Caret_7_0", "caret 7_0"]
        {
            #expect(TokenText.token(in: other) == nil)
        }
    }

    @Test("printing a token's text, also inside another value, hides the secret")
    func description() {
        let text = TokenText(TokenID(7), secret: SIMD4(repeating: 5))
        let result = Result<TokenText, StoreRefusal>.success(text)
        #expect("\(text)" == "caret_7_…" && "\(result)" == "success(caret_7_…)")
    }
}
