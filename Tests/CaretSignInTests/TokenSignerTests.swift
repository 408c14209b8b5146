import CaretLog
import CaretSignIn
import CaretWire
import Testing

@Suite("Signing tokens") struct TokenSignerTests {
    @Test(
        "the claims that are signed are the claims that are checked", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let grants = [
            Grant(.read, to: .prefix("notes/")), Grant(.read, to: .document(try DocumentName("plan"))),
            Grant(.write, to: .document(try DocumentName("=odd \"name\""))), Grant(.admin, to: .prefix("")),
        ]
        let claims = SigningClaims(
            user: "ann/é \"x\"", audience: "caret.example", issued: SampleToken.now,
            expires: SampleToken.now + 60,
            grants: try #require(Grants(grants)), name: "Änn \\ Lee", color: "#c33", id: "42")
        let signer = try SampleKeys.signer(algorithm, id: "a")
        let text = signer.sign(claims)
        #expect(text.hasPrefix("ey"))
        let token = try SampleToken.check(text, with: signer.keys).get()
        #expect(token.user == (try UserName("ann/é \"x\"")) && token.grants.grants == grants)
        #expect(token.name == claims.name && token.color == claims.color && token.id == "42")
        #expect(token.issued == claims.issued * 1_000 && token.expires == claims.expires * 1_000)
        #expect(signer.keys.marks == [token.key])
    }

    private func problem(_ text: String) -> KeyProblem? {
        do throws(TokenKeysFault) {
            _ = try TokenSigner(text: Array(text.utf8))
            return nil
        } catch {
            return error.problem
        }
    }

    @Test("only a private key or a secret signs")
    func publicKeys() {
        for algorithm in [SignatureAlgorithm.edDSA, .es256, .rs256] {
            #expect(problem(SampleKeys.publicKey(algorithm)) == .notPrivate)
        }
        #expect(problem(SampleKeys.secret) == nil)
        #expect(problem("{\"keys\":[\(SampleKeys.secret)]}") == nil)
        #expect(problem("{\"keys\":[\(SampleKeys.secret),\(SampleKeys.rsa)]}") == .severalToSign(2))
        let operations = SampleKeys.ed25519.replacing("}", with: #","key_ops":["verify"]}"#)
        #expect(problem(operations) == .otherOperations(expected: "sign"))
    }

    @Test("a private key with parts of two keys is refused")
    func mixed() {
        let other = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2B"
        #expect(problem(SampleKeys.ed25519.replacing("uf2A", with: "uf2E")) == .doesNotFit)
        #expect(problem(SampleKeys.p256.replacing("E9LI", with: "E9LM")) == .doesNotFit)
        #expect(
            problem(SampleKeys.ed25519.replacing("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", with: other))
                == .notBase64("d"))
        #expect(problem(SampleKeys.rsa.replacing(#""e":"AQAB""#, with: #""e":"Aw""#)) == .doesNotFit)
        #expect(problem(SampleKeys.rsa.replacing(#","qi":"#, with: #","other":"#)) == .missing("qi"))
        #expect(problem(SampleKeys.ed25519.replacing(#""d":"nW"#, with: #""d":""#)) != nil)
    }
}
