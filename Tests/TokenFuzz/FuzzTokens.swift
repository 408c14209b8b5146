import CaretLog
import CaretWire

private let secret = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#
private let rules = TokenRules(audience: "a", maxLifeSeconds: 86_400)
private let now: Int64 = 1_700_000_000_000

private let signer: TokenSigner = {
    do throws(TokenKeysFault) { return try TokenSigner(text: Array(secret.utf8)) } catch {
        preconditionFailure("\(error)")
    }
}()

/// Reads the input as a token, as the claims or the header of a token with a valid signature, or as a file of keys. The
/// first byte says which. What is accepted must keep the limits, and each fault must have a short sentence.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokens(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let text = Array(input.dropFirst())
    switch kind % 4 {
    case 0: check(text)
    case 1: check(Array(signer.sign(header: Array(#"{"alg":"HS256"}"#.utf8), claims: text).utf8))
    case 2: check(Array(signer.sign(header: text, claims: claims).utf8))
    default: readKeys(text)
    }
    return 0
}

private let claims = Array(#"{"sub":"a","aud":"a","iat":1700000000,"exp":1700000060}"#.utf8)

private func check(_ token: [UInt8]) {
    do throws(SignedTokenFault) {
        let found = try rules.check(token, with: signer.keys, at: now)
        precondition(token.count <= TokenRules.longestToken, "a token is too long")
        precondition(found.user.bytes != "anonymous", "nobody has signed in")
        precondition(found.grants.grants.count <= TokenRules.mostGrants, "a token has too many grants")
        precondition(now < found.end && found.issued <= now + TokenRules.leeway, "a token has ended")
        precondition(found.expires - found.issued <= 86_400_000, "a token lives too long")
        precondition(signer.keys.marks.contains(found.key), "a token has another key")
    } catch {
        expectSound("\(error)")
    }
}

private func readKeys(_ text: [UInt8]) {
    do throws(TokenKeysFault) {
        let keys = try TokenKeys(text: text)
        precondition((1...TokenKeys.mostKeys).contains(keys.marks.count), "a file has too many keys")
    } catch {
        expectSound("\(error)")
    }
}

private func expectSound(_ sentence: String) {
    precondition(!sentence.isEmpty, "a fault has no sentence")
    precondition(sentence.unicodeScalars.count < 300, "the sentence of a fault is too long")
}
