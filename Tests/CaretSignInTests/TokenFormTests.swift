import CaretSignIn
import CaretWire
import TestSupport
import Testing

@Suite("The form of signed tokens") struct TokenFormTests {
    private let signer: TokenSigner
    private let header: String
    private let claims: String
    private let signature: String

    init() throws {
        signer = try SampleKeys.signer(.edDSA)
        let parts = signer.sign(SampleClaims.ann).split(separator: ".").map(String.init)
        (header, claims, signature) = (parts[0], parts[1], parts[2])
    }

    private func fault(_ token: String) -> SignedTokenFault? {
        SampleToken.check(token, with: signer.keys).fault
    }

    private func signed(header: String, claims: String) -> String {
        signer.sign(header: Array(header.utf8), claims: Array(claims.utf8))
    }

    @Test("a token has exactly three parts")
    func parts() {
        #expect(fault("\(header).\(claims).\(signature)") == nil)
        #expect(fault("") == .parts(1))
        #expect(fault("\(header).\(claims)") == .parts(2))
        #expect(fault("\(header).\(claims).\(signature).") == .parts(4))
        #expect(fault(".\(header).\(claims).\(signature)") == .parts(4))
        #expect(fault("a.b.c.d.e") == .parts(5))
        #expect(
            fault("..") == .notJSON(.header, reason: "byte 0: expected an object, found the end of the line"))
        #expect(fault("\(header).\(claims).") == .signatureLength(bytes: 0, expected: 64))
        #expect(fault(#"{"payload":"a","signatures":[]}"#) == .parts(1))
    }

    @Test("a token has at most 4,096 bytes")
    func length() {
        // 3 bytes of JSON are 4 bytes of the token, so this finds every length.
        let usual = signed(header: #"{"alg":"EdDSA"}"#, claims: long(0))
        let fitting = (0...4_000).lazy.map { signed(header: #"{"alg":"EdDSA"}"#, claims: long($0)) }
        let longest = fitting.last { $0.utf8.count <= 4_096 }
        #expect(fault(usual) == nil)
        #expect(longest.map { $0.utf8.count > 4_090 } == true && longest.flatMap(fault) == nil)
        #expect(fault(String(repeating: "a", count: 4_096)) == .parts(1))
        #expect(fault(String(repeating: "a", count: 4_097)) == .tooLong(bytes: 4_097))
    }

    private func long(_ count: Int) -> String {
        let filling = String(repeating: "x", count: count)
        let claims = String(
            decoding: SampleToken.json(SampleToken.claims, ["f": "\"\(filling)\""]), as: UTF8.self)
        return claims
    }

    @Test("padding, another alphabet, spare bits and blanks are refused in each part")
    func base64() {
        for letter in ["=", "==", "+", "/", " ", "\n", "\t", "é", "\u{0}", "%3D"] {
            #expect(fault("\(header)\(letter).\(claims).\(signature)") == .notBase64(.header))
            #expect(fault("\(header).\(letter)\(claims).\(signature)") == .notBase64(.claims))
            #expect(fault("\(header).\(claims).\(signature)\(letter)") == .notBase64(.signature))
        }
        // 64 bytes have 86 letters, so the last letter has four spare bits.
        let last = String(signature.dropLast())
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let accepted = letters.filter { fault("\(header).\(claims).\(last)\($0)") != .notBase64(.signature) }
        #expect(accepted == "AQgw")
        #expect(fault("a.\(claims).\(signature)") == .notBase64(.header))
        #expect(
            fault("\(header)AAAAA.\(claims).\(signature)") == .notBase64(.header)
                || header.utf8.count % 4 != 0)
    }

    @Test("the header and the claims are strict JSON objects, without duplicate members")
    func json() throws {
        let usual = String(decoding: SampleToken.json(SampleToken.claims, [:]), as: UTF8.self)
        for text in [
            "", "[]", "null", "\"a\"", "{", "{}x", "{'a':1}", #"{"a":1,}"#, #"{"alg":"EdDSA","alg":"EdDSA"}"#,
        ] {
            guard case .notJSON(.header, _) = fault(signed(header: text, claims: usual)) else {
                Issue.record("the header \(text)")
                continue
            }
            guard case .notJSON(.claims, _) = fault(signed(header: #"{"alg":"EdDSA"}"#, claims: text)) else {
                Issue.record("the claims \(text)")
                continue
            }
        }
        let twice = usual.dropLast() + #","s\u0075b":"bob"}"#
        guard
            case .notJSON(.claims, let reason) = fault(
                signed(header: #"{"alg":"EdDSA"}"#, claims: String(twice)))
        else {
            Issue.record("a duplicate claim")
            return
        }
        #expect(reason.hasSuffix("this key occurs twice in its object"))
    }

    @Test("claims that are not UTF-8, or begin with a byte order mark, are refused")
    func encoding() {
        for bytes in [[0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]] as [[UInt8]]
        {
            let token = signer.sign(header: Array(#"{"alg":"EdDSA"}"#.utf8), claims: bytes)
            guard case .notJSON(.claims, _) = fault(token) else {
                Issue.record("\(bytes)")
                continue
            }
        }
    }

    @Test("deeply nested claims are refused")
    func nesting() {
        let deep = #"{"a":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}"
        guard case .notJSON(.claims, _) = fault(signed(header: #"{"alg":"EdDSA"}"#, claims: deep)) else {
            Issue.record("500 levels")
            return
        }
    }

    @Test("the claims are read only after the signature was checked")
    func signatureFirst() {
        let other = Base64Text.encode(Array("{".utf8))
        #expect(fault("\(header).\(other).\(signature)") == .wrongSignature)
    }

    @Test("every prefix of a token is refused")
    func prefixes() {
        let token = "\(header).\(claims).\(signature)"
        for count in 0..<token.utf8.count { #expect(fault(String(token.prefix(count))) != nil) }
    }

    @Test(
        "a token with one byte changed, removed or added is never accepted",
        arguments: SignatureAlgorithm.allCases)
    func mutations(algorithm: SignatureAlgorithm) throws {
        let signer = try SampleKeys.signer(algorithm)
        let token = Array(signer.sign(SampleClaims.ann).utf8)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n".utf8)
        for seed in Seeds.first(2_000) {
            var random = Seeded(seed)
            var bytes = token
            let index = random.number(0...bytes.count - 1)
            switch random.number(0...3) {
            case 0: bytes[index] = random.pick(letters)
            case 1: bytes[index] ^= 1 << UInt8(random.number(0...7))
            case 2: bytes.remove(at: index)
            default: bytes.insert(random.pick(letters), at: index)
            }
            let checked = Result { () throws(SignedTokenFault) in
                try SampleToken.rules.check(bytes, with: signer.keys, at: SampleToken.now * 1_000)
            }
            #expect((checked.fault == nil) == (bytes == token), "\(Seeds.replay(seed, of: "mutations"))")
        }
    }
}
