package import CaretWire

/// What is wrong with a key, or with a file of keys.
package enum KeyProblem: Error, Equatable, Sendable {
    // MARK: The file

    /// `reason` is the error text of the system.
    case unreadable(reason: String)
    case tooLarge
    /// Other users may read a file with a secret. `mode` has the permission bits.
    case readableByOthers(path: String, mode: UInt32)
    case notKeys
    case certificate
    case severalPEM(Int)
    case badPEM
    case notJSON(reason: String)
    case noKeys
    case tooManyKeys(Int)
    /// Several keys, and one of them has no `kid`.
    case noID
    case doubledID(WireString)

    // MARK: One key

    case privateKey
    case missing(String)
    case wrongType(String, expected: String)
    case unknownType(WireString)
    case unsupportedType(String)
    case unknownCurve(WireString, expected: String)
    case wrongAlgorithm(WireString, expected: SignatureAlgorithm)
    case otherUse(WireString)
    /// `key_ops` does not allow what the key is for.
    case otherOperations(expected: String)
    case notBase64(String)
    case leadingZero(String)
    case wrongLength(String, bytes: Int, expected: Int)
    case notOnCurve(String)
    case weakPoint
    case modulusBits(Int)
    case evenModulus
    case longExponent(bits: Int)
    case badExponent
    case shortSecret(bytes: Int)
    case refusedByOpenSSL

    // MARK: A key that signs

    case severalToSign(Int)
    case notPrivate
    /// The private part and the public part belong to different keys.
    case doesNotFit
}

extension KeyProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let reason): "the file cannot be read: \(reason)"
        case .tooLarge:
            "the file has more than \(KeyFile.limit) bytes; is it really a file of keys?"
        case .readableByOthers(let path, let mode):
            "other users may read this secret: its mode is 0\(String(mode, radix: 8)); run chmod 600 \(path)"
        case .notKeys:
            "the file contains no keys; it must be a JWK, a JWK Set, or PEM with -----BEGIN PUBLIC KEY-----"
        case .certificate:
            "the file contains a certificate; write only its public key to it: openssl x509 -pubkey -noout"
        case .severalPEM(let count):
            "the file contains \(count) blocks of PEM, but PEM has no key ids; write a JWK Set for several keys"
        case .badPEM: "the PEM in the file is damaged, or needs a password"
        case .notJSON(let reason): "the file is not strict JSON: \(reason)"
        case .noKeys: "the set has no keys"
        case .tooManyKeys(let count): "the set has \(count) keys; at most \(TokenKeys.mostKeys) are allowed"
        case .noID: "a key has no kid, but with several keys each needs one"
        case .doubledID(let id): "two keys have the kid \(id.quoted)"
        case .privateKey:
            "this is a private key, and the server needs only the public one: openssl pkey -pubout"
        case .missing(let member): "\(member) is missing"
        case .wrongType(let member, let expected): "\(member) must be \(expected)"
        case .unknownType(let type): "kty is \(type.quoted); expected OKP, EC, RSA or oct"
        case .unsupportedType(let type):
            "the key is of the type \(type); expected Ed25519, P-256 (prime256v1) or RSA"
        case .unknownCurve(let curve, let expected): "crv is \(curve.quoted); expected \(expected)"
        case .wrongAlgorithm(let name, let expected):
            "alg is \(name.quoted), but the key is for \(expected.rawValue)"
        case .otherUse(let use): "use is \(use.quoted); expected sig"
        case .otherOperations(let expected): "key_ops does not contain \(expected)"
        case .notBase64(let member): "\(member) is not base64url without padding"
        case .leadingZero(let member): "\(member) begins with a zero byte"
        case .wrongLength(let member, let bytes, let expected):
            "\(member) has \(bytes) bytes; expected \(expected)"
        case .notOnCurve(let curve): "the point is not on the curve \(curve)"
        case .weakPoint: "the point has a small order, so anybody could sign"
        case .modulusBits(let bits):
            "the modulus has \(bits) bits; expected \(KeyMaterial.modulusBits.lowerBound) to "
                + "\(KeyMaterial.modulusBits.upperBound)"
        case .evenModulus: "the modulus is even"
        case .longExponent(let bits):
            "the exponent has \(bits) bits; at most \(KeyMaterial.mostExponentBits) are allowed"
        case .badExponent: "the exponent must be odd, and at least 3"
        case .shortSecret(let bytes):
            "the secret has \(bytes) bytes; at least \(KeyMaterial.leastSecret) are needed"
        case .severalToSign(let count): "the set has \(count) keys, and signing needs one"
        case .notPrivate: "this is a public key, and signing needs the private one"
        case .doesNotFit: "the private part and the public part are not of the same key"
        case .refusedByOpenSSL: "OpenSSL refuses the key"
        }
    }
}
