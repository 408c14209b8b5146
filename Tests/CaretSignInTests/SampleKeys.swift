import CaretSignIn
import CaretWire
import Testing

/// The private keys of the examples in RFC 7515 (appendix A) and RFC 8037 (appendix A), by algorithm.
enum SampleKeys {
    static let ed25519 = """
        {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",\
        "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
        """

    static let p256 = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
        """

    static let secret = """
        {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
        """

    static let modulus = """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-\
        pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Ca\
        pHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb5\
        4h4FRWyuXpoQ
        """

    static let rsa = """
        {"kty":"RSA","n":"\(modulus)","e":"AQAB","d":"Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMg\
        vfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_\
        V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhB\
        OneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ","p":"4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnE\
        tfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z\
        -y2XDwGUc","q":"uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD\
        _YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc","dp":"BwKfV3Akq5_MFZDFZCnW-wzl\
        -CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7ts\
        s2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0","dq":"h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoR\
        wbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",\
        "qi":"IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLE\
        dfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U"}
        """

    static let all: [SignatureAlgorithm: String] = [
        .edDSA: ed25519, .es256: p256, .rs256: rsa, .hs256: secret,
    ]

    static func signer(_ algorithm: SignatureAlgorithm, id: WireString? = nil) throws -> TokenSigner {
        try TokenSigner(text: Array(try #require(all[algorithm]).utf8), id: id)
    }

    /// The public keys, each with the members that `members` adds.
    static func publicKey(_ algorithm: SignatureAlgorithm, _ members: String = "") -> String {
        switch algorithm {
        case .edDSA:
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"\#(members)}"#
        case .es256:
            """
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"\(members)}
            """
        case .rs256: #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"\#(members)}"#
        case .hs256: secret.replacing("}", with: members + "}")
        }
    }
}

/// A token to check, written as the members of its header and claims.
struct SampleToken {
    /// The wall clock of the checks, in seconds.
    static let now: Int64 = 1_700_000_000
    static let rules = TokenRules(audience: "caret.example", maxLifeSeconds: 86_400)
    static let header = [("alg", #""EdDSA""#)]
    static let claims = [
        ("sub", #""ann""#), ("aud", #""caret.example""#), ("iat", "1700000000"), ("exp", "1700003600"),
    ]

    /// Members by name as JSON, which replace or follow the usual ones. An empty value removes the member.
    typealias Changes = KeyValuePairs<String, String>

    static func json(_ usual: [(String, String)], _ changes: Changes) -> [UInt8] {
        var members = usual
        for (name, value) in changes {
            if let index = members.firstIndex(where: { $0.0 == name }) {
                members[index].1 = value
            } else {
                members.append((name, value))
            }
        }
        let written = members.filter { !$0.1.isEmpty }.map { "\"\($0.0)\":\($0.1)" }
        return Array("{\(written.joined(separator: ","))}".utf8)
    }

    /// The result of a check.
    static func check(
        _ token: String, with keys: TokenKeys, at milliseconds: Int64 = now * 1_000,
        by rules: TokenRules = rules
    ) -> Result<SignedToken, SignedTokenFault> {
        Result { () throws(SignedTokenFault) in
            try rules.check(Array(token.utf8), with: keys, at: milliseconds)
        }
    }

    /// The result of checking a token with these changes, which is signed with Ed25519.
    static func checked(
        header: Changes = [:], claims: Changes = [:], at milliseconds: Int64 = now * 1_000
    ) throws -> Result<SignedToken, SignedTokenFault> {
        let signer = try SampleKeys.signer(.edDSA)
        let token = signer.sign(
            header: json(Self.header, header), claims: json(Self.claims, claims))
        return check(token, with: signer.keys, at: milliseconds)
    }
}

extension Result {
    var fault: Failure? {
        if case .failure(let fault) = self { fault } else { nil }
    }
}
