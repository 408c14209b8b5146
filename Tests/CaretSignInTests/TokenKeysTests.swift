import CaretSignIn
import CaretWire
import TestSupport
import Testing

@Suite("The keys of signed tokens") struct TokenKeysTests {
    private func fault(_ text: String) -> KeyProblem? { full(text)?.problem }

    private func full(_ text: String) -> TokenKeysFault? {
        do throws(TokenKeysFault) {
            _ = try TokenKeys(text: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func set(_ keys: String...) -> String { "{\"keys\":[\(keys.joined(separator: ","))]}" }

    @Test("a public key of each type is accepted, alone and in a set")
    func accepted() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let text = SampleKeys.publicKey(algorithm)
            #expect(fault(text) == nil)
            #expect(fault("\r\n " + set(text)) == nil)
            let alone = try TokenKeys(text: Array(text.utf8))
            #expect(alone == (try SampleKeys.signer(algorithm).keys))
            #expect(alone.areSecret == (algorithm == .hs256))
        }
        #expect(
            fault(
                set(
                    SampleKeys.publicKey(.edDSA, #","kid":"a""#), SampleKeys.publicKey(.rs256, #","kid":"b""#)
                )) == nil)
    }

    private typealias Row = (members: String, problem: KeyProblem?)

    @Test("the members that say what a key is for must allow checking of signatures")
    func uses() {
        let rows: [Row] = [
            (#","alg":"EdDSA""#, nil), (#","alg":"Ed25519""#, nil),
            (#","alg":"RS256""#, .wrongAlgorithm("RS256", expected: .edDSA)),
            (#","alg":"none""#, .wrongAlgorithm("none", expected: .edDSA)),
            (#","alg":1"#, .wrongType("alg", expected: "a string")), (#","use":"sig""#, nil),
            (#","use":"enc""#, .otherUse("enc")), (#","use":null"#, .wrongType("use", expected: "a string")),
            (#","key_ops":["verify"]"#, nil), (#","key_ops":["sign","verify"]"#, nil),
            (#","key_ops":["sign"]"#, .otherOperations(expected: "verify")),
            (#","key_ops":[]"#, .otherOperations(expected: "verify")),
            (#","key_ops":"verify""#, .wrongType("key_ops", expected: "a list of strings")),
            (#","kid":7"#, .wrongType("kid", expected: "a string")), (#","x5c":[],"other":{}"#, nil),
            (#","d":"AA""#, .privateKey), (#","qi":"AA""#, .privateKey),
        ]
        for row in rows {
            #expect(fault(SampleKeys.publicKey(.edDSA, row.members)) == row.problem, "\(row.members)")
        }
        #expect(
            fault(SampleKeys.publicKey(.hs256, #","key_ops":["sign"]"#))
                == .otherOperations(expected: "verify"))
        for key in [SampleKeys.ed25519, SampleKeys.p256, SampleKeys.rsa] {
            #expect(fault(key) == .privateKey)
        }
    }

    @Test("several keys need a kid each, and no two the same")
    func ids() {
        let (one, other) = (
            SampleKeys.publicKey(.edDSA, #","kid":"a""#), SampleKeys.publicKey(.es256, #","kid":"a""#)
        )
        #expect(full(set(one, other)) == TokenKeysFault(.doubledID("a"), key: 2))
        #expect(full(set(one, SampleKeys.publicKey(.es256))) == TokenKeysFault(.noID, key: 2))
        #expect(full(set(SampleKeys.publicKey(.es256), one)) == TokenKeysFault(.noID, key: 1))
        #expect(
            "\(TokenKeysFault(.doubledID("a"), key: 2, path: "k"))" == "k: key 2: two keys have the kid \"a\""
        )
    }

    @Test("a set has 1 to 100 keys")
    func counts() {
        let keys = (0...100).map { SampleKeys.publicKey(.edDSA, #","kid":"\#($0)""#) }
        #expect(fault(set()) == .noKeys)
        #expect(fault("{\"keys\":[\(keys.dropLast().joined(separator: ","))]}") == nil)
        #expect(fault("{\"keys\":[\(keys.joined(separator: ","))]}") == .tooManyKeys(101))
        #expect(fault(#"{"keys":{}}"#) == .wrongType("keys", expected: "a list of keys"))
        #expect(fault(#"{"keys":[1]}"#) == .wrongType("keys", expected: "a list of objects"))
    }

    @Test("other texts are refused")
    func others() {
        for text in ["", " ", "[]", "key", "\u{FEFF}{}", "0123456789abcdef0123456789abcdef"] {
            #expect(fault(text) == .notKeys, "\(text)")
        }
        #expect(fault("{}") == .missing("kty"))
        #expect(
            fault(#"{"kty":"oct","kty":"oct"}"#)
                == .notJSON(reason: "byte 14: this key occurs twice in its object"))
        #expect(fault(#"{"kty":"PBKDF2"}"#) == .unknownType("PBKDF2"))
        let filling = String(repeating: " ", count: (64 << 10) - SampleKeys.publicKey(.edDSA).utf8.count)
        #expect(fault(SampleKeys.publicKey(.edDSA) + filling) == nil)
        #expect(fault(SampleKeys.publicKey(.edDSA) + filling + " ") == .tooLarge)
    }

    @Test("a secret has at least 32 bytes")
    func secrets() {
        func key(_ count: Int) -> String {
            #"{"kty":"oct","k":"\#(Base64Text.encode([UInt8](repeating: 7, count: count)))"}"#
        }
        #expect(fault(key(32)) == nil)
        #expect(fault(key(31)) == .shortSecret(bytes: 31))
        #expect(fault(key(0)) == .shortSecret(bytes: 0))
        #expect(fault(#"{"kty":"oct","k":"a=="}"#) == .notBase64("k"))
        #expect(fault(#"{"kty":"oct"}"#) == .missing("k"))
        #expect("\(KeyProblem.shortSecret(bytes: 31))" == "the secret has 31 bytes; at least 32 are needed")
    }

    @Test("a point on P-256 must be on the curve, with 32 bytes for each coordinate")
    func p256() throws {
        func key(_ x: [UInt8], _ y: [UInt8], _ curve: String = "P-256") -> String {
            #"{"kty":"EC","crv":"\#(curve)","x":"\#(Base64Text.encode(x))","y":"\#(Base64Text.encode(y))"}"#
        }
        let x = try #require(Base64Text.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64Text.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(fault(key(x, y)) == nil)
        for (x, y) in [(y, x), (x, x), (zero, zero), (x, zero), (x, [UInt8](repeating: 255, count: 32))] {
            #expect(fault(key(x, y)) == .notOnCurve("P-256"))
        }
        #expect(fault(key([0] + x, y)) == .wrongLength("x", bytes: 33, expected: 32))
        #expect(fault(key(x, y.dropLast())) == .wrongLength("y", bytes: 31, expected: 32))
        #expect(fault(key(x, y, "P-384")) == .unknownCurve("P-384", expected: "P-256"))
        #expect(fault(key(x, y, "secp256k1")) == .unknownCurve("secp256k1", expected: "P-256"))
    }

    @Test("a point of Ed25519 must be on the curve, in its only form, and of large order")
    func ed25519() throws {
        func key(_ x: [UInt8], _ curve: String = "Ed25519") -> String {
            #"{"kty":"OKP","crv":"\#(curve)","x":"\#(Base64Text.encode(x))"}"#
        }
        func point(_ first: UInt8, _ middle: UInt8 = 0, _ last: UInt8 = 0) -> [UInt8] {
            [first] + [UInt8](repeating: middle, count: 30) + [last]
        }
        let sign: UInt8 = 0x80
        // y of 0, 1 and p − 1, with both signs.
        for weak in [point(0), point(0, 0, sign), point(1), point(1, 0, sign), point(0xEC, 0xFF, 0x7F)] {
            #expect(fault(key(weak)) == .weakPoint)
        }
        for text in [
            "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU", "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
        ] {
            #expect(fault(key(try #require(Base64Text.decode(text)))) == .weakPoint)
        }
        // y of p, of p + 1, and of 2, which no point has.
        for none in [point(0xED, 0xFF, 0x7F), point(0xEE, 0xFF, 0xFF), point(2)] {
            #expect(fault(key(none)) == .notOnCurve("Ed25519"))
        }
        #expect(fault(key(point(3).dropLast())) == .wrongLength("x", bytes: 31, expected: 32))
        #expect(fault(key(point(3), "X25519")) == .unknownCurve("X25519", expected: "Ed25519"))
        #expect(fault(key(point(3), "Ed448")) == .unknownCurve("Ed448", expected: "Ed25519"))
    }

    @Test(
        "an RSA key has an odd modulus of 2,048 to 8,192 bits, and an odd exponent of at least 3 and at most 32 bits"
    )
    func rsa() {
        func key(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> String {
            #"{"kty":"RSA","n":"\#(Base64Text.encode(modulus))","e":"\#(Base64Text.encode(exponent))"}"#
        }
        func modulus(_ bytes: Int, first: UInt8 = 0x80, last: UInt8 = 1) -> [UInt8] {
            [first] + [UInt8](repeating: 0x55, count: bytes - 2) + [last]
        }
        let usual = modulus(256)
        #expect(fault(key(usual)) == nil && fault(key(modulus(1_024))) == nil)
        #expect(fault(key(modulus(256, first: 0x7F))) == .modulusBits(2_047))
        #expect(fault(key(modulus(128))) == .modulusBits(1_024))
        #expect(fault(key(modulus(1_025, first: 1))) == .modulusBits(8_193))
        #expect(fault(key([])) == .modulusBits(0))
        #expect(fault(key([0] + usual)) == .leadingZero("n"))
        #expect(fault(key(modulus(256, last: 2))) == .evenModulus)
        #expect(fault(key(usual, [3])) == nil && fault(key(usual, [0xFF, 0xFF, 0xFF, 0xFF])) == nil)
        for exponent in [[], [1], [2], [4], [1, 0, 0]] as [[UInt8]] {
            #expect(fault(key(usual, exponent)) == .badExponent)
        }
        #expect(
            fault(key(usual, [0, 1])) == .leadingZero("e") && fault(key(usual, [0])) == .leadingZero("e"))
        #expect(fault(key(usual, [1, 0, 0, 0, 1])) == .longExponent(bits: 33))
    }

    @Test("the marks of keys differ if one number differs, and not if only the id does")
    func marks() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let same = ["", #","kid":"""#, #","kid":"a""#, #","kid":"b""#].map {
                SampleKeys.publicKey(algorithm, $0)
            }
            #expect(try Set(same.map { try TokenKeys(text: Array($0.utf8)).marks }).count == 1)
        }
        let texts =
            SignatureAlgorithm.allCases.map { SampleKeys.publicKey($0, "") }
            + [#"{"kty":"RSA","n":"\#(SampleKeys.modulus)","e":"Aw"}"#]
        let marks = try texts.map { try TokenKeys(text: Array($0.utf8)).marks }
        #expect(marks.reduce(into: Set()) { $0.formUnion($1) }.count == texts.count)
        let again = try texts.map { try TokenKeys(text: Array($0.utf8)).marks }
        #expect(marks == again)
    }

    @Test("with several keys, the token must name one; with one key, it may")
    func picking() throws {
        let two = try TokenKeys(
            text: Array(
                set(
                    SampleKeys.publicKey(.edDSA, #","kid":"a""#), SampleKeys.publicKey(.es256, #","kid":"b""#)
                ).utf8))
        let named = try TokenKeys(text: Array(SampleKeys.publicKey(.edDSA, #","kid":"a""#).utf8))
        let nameless = try TokenKeys(text: Array(SampleKeys.publicKey(.edDSA).utf8))
        let rows: [(WireString?, TokenKeys, SignedTokenFault?)] = [
            ("a", two, nil), (nil, two, .noKeyID), ("c", two, .unknownKey("c")),
            ("b", two, .otherAlgorithm("EdDSA", expected: .es256)), ("a", named, nil), (nil, named, nil),
            ("b", named, .unknownKey("b")), ("b", nameless, nil), (nil, nameless, nil),
        ]
        for (id, keys, fault) in rows {
            let token = try SampleKeys.signer(.edDSA, id: id).sign(SampleClaims.ann)
            #expect(SampleToken.check(token, with: keys).fault == fault)
        }
    }

    /// OpenSSL prepares a key of RSA at its first use, so the threads must share this work.
    @Test("many threads check tokens with the same keys at once")
    func threads() async throws {
        for algorithm in SignatureAlgorithm.allCases {
            let token = try SampleKeys.signer(algorithm).sign(SampleClaims.ann)
            let keys = try TokenKeys(text: Array(SampleKeys.publicKey(algorithm).utf8))
            let faults = await withTaskGroup(of: [SignedTokenFault].self) { group in
                for _ in 0..<8 {
                    group.addTask { (0..<100).compactMap { _ in SampleToken.check(token, with: keys).fault } }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(faults.isEmpty, "\(algorithm)")
        }
    }
}
