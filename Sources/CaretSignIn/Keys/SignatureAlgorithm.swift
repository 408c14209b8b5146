import CaretWire

/// How a token is signed. The key alone decides the algorithm, never the token.
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// Ed25519 (RFC 8037).
    case edDSA = "EdDSA"
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// HMAC with SHA-256.
    case hs256 = "HS256"

    /// Whether `alg` in a header or a key means this algorithm. Names are compared exactly.
    ///
    /// RFC 9864 calls EdDSA with a key of Ed25519 `Ed25519`, and newer libraries write this name.
    func isNamed(_ name: WireString) -> Bool {
        name == WireString(rawValue) || self == .edDSA && name == "Ed25519"
    }
}
