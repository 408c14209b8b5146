import CaretLog
import CaretSignIn
import CaretWire
import Testing

/// A change of a valid token, and the fault that it causes; nil if the token stays valid.
struct TokenRow: Sendable {
    let header: SampleToken.Changes
    let claims: SampleToken.Changes
    let fault: SignedTokenFault?

    static func header(_ changes: SampleToken.Changes, _ fault: SignedTokenFault? = nil) -> TokenRow {
        TokenRow(header: changes, claims: [:], fault: fault)
    }

    static func claims(_ changes: SampleToken.Changes, _ fault: SignedTokenFault? = nil) -> TokenRow {
        TokenRow(header: [:], claims: changes, fault: fault)
    }
}

@Suite("The rules of signed tokens") struct TokenRuleTests {
    private static let seconds = "seconds since 1970, without an exponent"
    private static let strings = "a list of strings"

    private static func text(_ count: Int, _ letter: String = "x") -> String {
        "\"\(String(repeating: letter, count: count))\""
    }

    private static func list(_ count: Int) -> String {
        "[\(Array(repeating: "\"a/\"", count: count).joined(separator: ","))]"
    }

    private static let headers: [TokenRow] = [
        .header([:]),
        .header(["typ": #""JWT""#]), .header(["typ": #""jwt""#]), .header(["typ": #""Jwt""#]),
        .header(["typ": #""at+jwt""#], .otherType("at+jwt")), .header(["typ": "\"\""], .otherType("")),
        .header(["typ": "null"], .wrongType(.header, "typ", expected: "a string")),
        .header(["alg": ""], .missing(.header, "alg")),
        .header(["alg": "1"], .wrongType(.header, "alg", expected: "a string")),
        .header(["alg": #""none""#], .otherAlgorithm("none", expected: .edDSA)),
        .header(["alg": #""NONE""#], .otherAlgorithm("NONE", expected: .edDSA)),
        .header(["alg": "\"\""], .otherAlgorithm("", expected: .edDSA)),
        .header(["alg": #""eddsa""#], .otherAlgorithm("eddsa", expected: .edDSA)),
        .header(["alg": #""EdDSA ""#], .otherAlgorithm("EdDSA ", expected: .edDSA)),
        .header(["alg": #""Ed25519""#]),
        .header(["alg": #""ed25519""#], .otherAlgorithm("ed25519", expected: .edDSA)),
        .header(["alg": #""Ed448""#], .otherAlgorithm("Ed448", expected: .edDSA)),
        .header(["alg": #""HS256""#], .otherAlgorithm("HS256", expected: .edDSA)),
        .header(["alg": #""PS256""#], .otherAlgorithm("PS256", expected: .edDSA)),
        .header(["kid": #""any""#]),
        .header(["kid": "1"], .wrongType(.header, "kid", expected: "a string")),
        .header(["crit": #"["exp"]"#], .refusedMember("crit")),
        .header(["crit": "[]"], .refusedMember("crit")),
        .header(["b64": "false"], .refusedMember("b64")), .header(["b64": "true"], .refusedMember("b64")),
        .header(["jwk": "{}"], .refusedMember("jwk")),
        .header(["jku": #""https://a.example""#], .refusedMember("jku")),
        .header(["x5u": #""https://a.example""#], .refusedMember("x5u")),
        .header(["x5c": "[]"], .refusedMember("x5c")), .header(["x5t": #""a""#]), .header(["cty": #""a""#]),
    ]

    private static let users: [TokenRow] = [
        .claims(["sub": ""], .missing(.claims, "sub")), .claims(["sub": "\"\""], .badUser(.empty)),
        .claims(["sub": #""a//b""#], .badUser(.badPart(1))), .claims(["sub": #""org/ann""#]),
        .claims(["sub": #""a\u0000""#], .badUser(.control(at: 1))),
        .claims(["sub": #"" ann""#], .badUser(.spaceAtEdge(part: 0))), .claims(["sub": text(512)]),
        .claims(["sub": text(513)], .badUser(.tooLong(bytes: 513))),
        .claims(["sub": #""anonymous""#], .anonymous), .claims(["sub": #""anonymou\u0073""#], .anonymous),
        .claims(["sub": #""Anonymous""#]),
    ]

    private static let times: [TokenRow] = [
        .claims(["iat": ""], .missing(.claims, "iat")), .claims(["exp": ""], .missing(.claims, "exp")),
        .claims(["iat": "1700000060"]),
        .claims(["iat": "1700000061"], .issuedAhead(milliseconds: 61_000)),
        .claims(["exp": "1700000001"]), .claims(["exp": "1700000000"], .noLife),
        .claims(["exp": "1699999999"], .noLife), .claims(["exp": "1700086400"]),
        .claims(["exp": "1700086401"], .longLife(seconds: 86_401, limit: 86_400)),
        // A token of one year.
        .claims(["exp": "1731536000"], .longLife(seconds: 31_536_000, limit: 86_400)),
        .claims(["iat": "1699999000", "exp": "1699999941"]),
        .claims(["iat": "1699999000", "exp": "1699999940"], .ended(at: 1_699_999_940_000)),
        .claims(["nbf": "1700000060"]), .claims(["nbf": "1700000061"], .notYetValid(milliseconds: 61_000)),
        .claims(["nbf": "0"]),
        // Fractions are dropped.
        .claims(["iat": "1700000060.999", "exp": "1700003600.5", "nbf": "1.0"]),
        .claims(["iat": "1.7e9"], .wrongType(.claims, "iat", expected: seconds)),
        .claims(["iat": "1700000000.0e0"], .wrongType(.claims, "iat", expected: seconds)),
        .claims(["exp": "-1"], .wrongType(.claims, "exp", expected: seconds)),
        .claims(["exp": "-0.5"], .wrongType(.claims, "exp", expected: seconds)),
        .claims(["nbf": "253402300800"], .wrongType(.claims, "nbf", expected: seconds)),
        .claims(["nbf": "253402300799"], .notYetValid(milliseconds: 251_702_300_799_000)),
        .claims(["exp": "99999999999999999999.5"], .wrongType(.claims, "exp", expected: seconds)),
    ]

    private static let others: [TokenRow] = [
        .claims(["aud": ""], .missing(.claims, "aud")),
        .claims(["aud": #""other""#], .otherAudience(expected: "caret.example")),
        .claims(["aud": #""caret.example/""#], .otherAudience(expected: "caret.example")),
        .claims(["aud": "[]"], .otherAudience(expected: "caret.example")),
        .claims(["aud": #"["a","caret.example"]"#]), .claims(["jti": text(128)]),
        .claims(["jti": text(129)], .idLength(bytes: 129)), .claims(["jti": "\"\""], .idLength(bytes: 0)),
        .claims(["name": text(100, "é")]), .claims(["name": text(101)], .longName(scalars: 101)),
        .claims(["name": "\"\""]), .claims(["name": #""a\u0007""#], .controlInName),
        .claims(["name": #""a\u0085""#], .controlInName), .claims(["color": "\"#c33\""]),
        .claims(["color": "\"#cC3f09\""]), .claims(["color": #""red""#], .badColor("red")),
        .claims(["color": "\"#c3\""], .badColor("#c3")),
        .claims(["color": "\"#c333\""], .badColor("#c333")),
        .claims(["color": "\"#cg3\""], .badColor("#cg3")),
        .claims(["color": "\"#ｃ33\""], .badColor("#ｃ33")),
        .claims(["color": "\"\""], .badColor("")), .claims(["iss": "{}", "other": "[[1]]"]),
    ]

    private static let grants: [TokenRow] = [
        .claims(["caret": "{}"]), .claims(["caret": #"{"read":[],"write":[],"admin":[]}"#]),
        .claims(["caret": #"{"reads":[]}"#], .unknownRight("reads")),
        .claims(["caret": #"{"read":"a/"}"#], .wrongType(.claims, "caret.read", expected: strings)),
        .claims(["caret": #"{"write":[1]}"#], .wrongType(.claims, "caret.write", expected: strings)),
        .claims(["caret": #"{"admin":{}}"#], .wrongType(.claims, "caret.admin", expected: strings)),
        .claims(["caret": #"{"read":["="]}"#], .badDocument("=", .empty)),
        .claims(["caret": #"{"read":["=a/"]}"#], .badDocument("=a/", .badPart(1))),
        .claims(["caret": #"{"read":[\#(text(512))]}"#]),
        .claims(["caret": #"{"read":[\#(text(513))]}"#], .longPrefix(bytes: 513)),
        .claims(["caret": #"{"read":\#(list(60)),"write":\#(list(40))}"#]),
        .claims(["caret": #"{"read":\#(list(60)),"write":\#(list(41))}"#], .tooManyGrants(101)),
    ]

    @Test("each rule of the header has its own fault")
    func headerRules() throws { try expect(Self.headers) }

    @Test("each rule of the claims is checked at its limit and one beyond, and has its own fault")
    func claimRules() throws { try expect(Self.users + Self.times + Self.others + Self.grants) }

    private func expect(_ rows: [TokenRow]) throws {
        for row in rows {
            let checked = try SampleToken.checked(header: row.header, claims: row.claims)
            #expect(checked.fault == row.fault, "header: \(row.header), claims: \(row.claims)")
        }
    }

    @Test("a claim of a wrong type is refused, whatever the type is")
    func wrongTypes() throws {
        let values = ["null", "true", "7", #""x""#, "[]", "[1]", #"["x",null]"#, "{}"]
        let fitting: [String: [String]] = [
            "sub": [#""x""#], "aud": [#""x""#, "[]"], "iat": ["7"], "exp": ["7"], "nbf": ["7"],
            "jti": [#""x""#], "name": [#""x""#], "color": [#""x""#], "caret": ["{}"],
        ]
        for (name, fits) in fitting {
            for value in values where !fits.contains(value) {
                let fault = try SampleToken.checked(claims: [name: value]).fault
                guard case .wrongType(.claims, name, _) = fault else {
                    Issue.record("\(name) of \(value): \(String(describing: fault))")
                    continue
                }
            }
        }
    }

    @Test("an accepted token has all its claims")
    func accepted() throws {
        let rights = #"{"read":["notes/","=plan"],"write":["=agenda"],"admin":[""]}"#
        let checked = try SampleToken.checked(claims: [
            "jti": #""7""#, "name": #""Ann Lee""#, "color": "\"#c33\"", "caret": rights,
            "exp": "1700003600.9",
        ])
        let token = try checked.get()
        #expect(token.user == (try UserName("ann")))
        #expect(token.issued == 1_700_000_000_000 && token.expires == 1_700_003_600_000)
        #expect(token.end == 1_700_003_660_000)
        #expect(token.id == "7" && token.name == "Ann Lee" && token.color == "#c33")
        #expect(
            token.grants.grants == [
                Grant(.read, to: .prefix("notes/")), Grant(.read, to: .document(try DocumentName("plan"))),
                Grant(.write, to: .document(try DocumentName("agenda"))), Grant(.admin, to: .prefix("")),
            ])
        #expect(token.grants.isForServer)
        #expect(try SampleKeys.signer(.edDSA).keys.marks == [token.key])
    }

    @Test("without rights, a name, a color and an id, the token has none")
    func least() throws {
        let token = try SampleToken.checked(claims: ["name": "\"\""]).get()
        #expect(token.grants == .none && token.name == nil && token.color == nil && token.id == nil)
    }

    @Test("a token ends 60 s after exp, and is refused for its time only if nothing else is wrong")
    func end() throws {
        let end = SampleToken.now * 1_000 + 3_660_000
        #expect(try SampleToken.checked(at: end - 1).fault == nil)
        #expect(try SampleToken.checked(at: end).fault == .ended(at: end - 60_000))
        let other = try SampleToken.checked(claims: ["aud": #""other""#], at: end)
        #expect(other.fault == .otherAudience(expected: "caret.example"))
        #expect(
            "\(SignedTokenFault.ended(at: end - 60_000))"
                == "the token ended at 2023-11-14 23:13:20 UTC; get another one")
    }

    @Test("a clock that is 61 s slow refuses a new token, and one that is 60 s slow accepts it")
    func slowClock() throws {
        let now = SampleToken.now * 1_000
        #expect(try SampleToken.checked(at: now - 60_000).fault == nil)
        #expect(try SampleToken.checked(at: now - 60_001).fault == .issuedAhead(milliseconds: 60_001))
    }

    @Test("each fault says what is wrong in one sentence, with both numbers if a limit is exceeded")
    func sentences() throws {
        let rows = Self.headers + Self.users + Self.times + Self.others + Self.grants
        for fault in rows.compactMap(\.fault) {
            let text = "\(fault)"
            #expect(!text.isEmpty && text.utf8.count < 300 && !text.hasSuffix("."))
        }
        #expect("\(SignedTokenFault.tooLong(bytes: 5_000))".contains("5000 bytes; at most 4096"))
        #expect(
            "\(SignedTokenFault.longLife(seconds: 9, limit: 8))"
                == "exp is 9 s after iat; at most 8 s are allowed")
        #expect(
            "\(SignedTokenFault.issuedAhead(milliseconds: 61_000))"
                == "iat is 61 s ahead of the server's clock; at most 60 s are allowed")
    }

    @Test("text of a token is shortened in a fault, without control characters")
    func echo() {
        let hostile = WireString("\n\u{1B}[31m" + String(repeating: "é", count: 4_000))
        let text = "\(SignedTokenFault.unknownKey(hostile))"
        #expect(text.unicodeScalars.count < 120 && !text.contains("\n") && !text.contains("\u{1B}"))
        #expect(text.hasSuffix("…\""))
    }
}
