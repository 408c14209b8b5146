import CaretLog
import CaretSignIn
import CaretWire
import Testing

@Suite("Signatures of tokens") struct SignatureTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// The examples: RFC 7515, appendices A.1, A.2 and A.3, and RFC 8037, appendix A.4.
    private static let examples: [(SignatureAlgorithm, String)] = [
        (
            .hs256,
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        ),
        (
            .rs256,
            """
            eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5Y\
            Kt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K\
            0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt\
            5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
            """
        ),
        (
            .es256,
            """
            eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6\
            NU1Q
            """
        ),
        (
            .edDSA,
            """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR\
            4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """
        ),
    ]

    private func keys(_ text: String) throws -> TokenKeys { try TokenKeys(text: Array(text.utf8)) }

    /// The claims are only read after the signature was found to be valid.
    private func isValid(_ token: String, with keys: TokenKeys) -> Bool {
        switch SampleToken.check(token, with: keys).fault {
        case .missing(.claims, "sub"), .notJSON(.claims, _): true
        default: false
        }
    }

    @Test("the examples of RFC 7515 and RFC 8037 are valid")
    func examplesOfRFCs() throws {
        for (algorithm, token) in Self.examples {
            #expect(isValid(token, with: try keys(SampleKeys.publicKey(algorithm))), "\(algorithm)")
        }
    }

    @Test("an example is not valid if its last byte differs")
    func changedExamples() throws {
        for (algorithm, token) in Self.examples {
            let keys = try keys(SampleKeys.publicKey(algorithm))
            let parts = token.split(separator: ".")
            let start = parts[2].first == "A" ? "B" : "A"
            let changed = "\(parts[0]).\(parts[1]).\(start)\(parts[2].dropFirst())"
            #expect(SampleToken.check(changed, with: keys).fault == .wrongSignature, "\(algorithm)")
        }
    }

    @Test(
        "the signatures of HS256, RS256 and EdDSA are the ones of the RFCs, because they are always the same")
    func sameSignatures() throws {
        for (algorithm, token) in Self.examples where algorithm != .es256 {
            let parts = token.split(separator: ".")
            let signer = try SampleKeys.signer(algorithm)
            let made = signer.sign(header: try decoded(parts[0]), claims: try decoded(parts[1]))
            #expect(made == token, "\(algorithm)")
        }
    }

    private func decoded(_ text: Substring) throws -> [UInt8] { try #require(Base64Text.decode(text)) }

    @Test("a token of each algorithm is accepted with its own key, and refused with each other key")
    func crossed() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let token = try SampleKeys.signer(algorithm).sign(SampleClaims.ann)
            for other in SignatureAlgorithm.allCases {
                let checked = SampleToken.check(token, with: try keys(SampleKeys.publicKey(other)))
                let expected =
                    other == algorithm
                    ? nil : SignedTokenFault.otherAlgorithm(WireString(algorithm.rawValue), expected: other)
                #expect(checked.fault == expected)
            }
        }
    }

    @Test("a token that was signed with the public key as a secret is refused")
    func publicKeyAsSecret() throws {
        let secret = Base64Text.encode(Array(SampleKeys.publicKey(.rs256).utf8))
        let attacker = try TokenSigner(text: Array(#"{"kty":"oct","k":"\#(secret)"}"#.utf8))
        let token = attacker.sign(SampleClaims.ann)
        let checked = SampleToken.check(token, with: try keys(SampleKeys.publicKey(.rs256)))
        #expect(checked.fault == .otherAlgorithm("HS256", expected: .rs256))
    }

    @Test("a signature of the wrong length is refused, with both lengths")
    func lengths() throws {
        let sizes: [(SignatureAlgorithm, Int)] = [(.edDSA, 64), (.es256, 64), (.rs256, 256), (.hs256, 32)]
        for (algorithm, size) in sizes {
            let signer = try SampleKeys.signer(algorithm)
            let parts = signer.sign(SampleClaims.ann).split(separator: ".")
            let signature = try decoded(parts[2])
            #expect(signature.count == size)
            for other in [[], signature.dropLast(), signature + [0], [0] + signature] {
                let token = "\(parts[0]).\(parts[1]).\(Base64Text.encode(Array(other)))"
                #expect(
                    SampleToken.check(token, with: signer.keys).fault
                        == .signatureLength(bytes: other.count, expected: size))
            }
        }
    }

    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test("a signature of ES256 with r or s of 0, of the order of the group, or above it is refused")
    func ranges() throws {
        let signer = try SampleKeys.signer(.es256)
        let parts = signer.sign(SampleClaims.ann).split(separator: ".")
        let signature = try decoded(parts[2])
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        var below = Self.order
        below[31] -= 1
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let rows: [([UInt8], SignedTokenFault)] =
            [zero + s, r + zero, zero + zero, Self.order + s, r + Self.order, most + s, r + most]
            .map { ($0, .signatureRange) } + [(below + s, .wrongSignature), (r + below, .wrongSignature)]
        for (bytes, fault) in rows {
            let token = "\(parts[0]).\(parts[1]).\(Base64Text.encode(bytes))"
            #expect(SampleToken.check(token, with: signer.keys).fault == fault)
        }
    }

    @Test("many signatures of ES256 are valid, also those with numbers that begin with zeros")
    func manyOfES256() throws {
        let signer = try SampleKeys.signer(.es256)
        for _ in 0..<1_000 {
            #expect(SampleToken.check(signer.sign(SampleClaims.ann), with: signer.keys).fault == nil)
        }
    }
}

enum SampleClaims {
    static let ann = SigningClaims(
        user: "ann", audience: "caret.example", issued: SampleToken.now, expires: SampleToken.now + 3_600,
        grants: .none)
}

/// Base64 for URLs by another way than the tested one.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    static func encode(_ bytes: [UInt8]) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for letter in 0...group.count { text.append(alphabet[number >> (18 - 6 * letter) & 63]) }
        }
        return text
    }

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, bits) = ([UInt8](), [Bool]())
        for letter in text {
            guard let digit = alphabet.firstIndex(of: letter) else { return nil }
            bits += (0..<6).map { digit >> (5 - $0) & 1 == 1 }
        }
        while bits.count >= 8 {
            bytes.append(bits[..<8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
            bits.removeFirst(8)
        }
        return bytes
    }
}
