/// The numbers of a key that checks signatures. Each number has been checked, and has only one form.
enum KeyMaterial: Equatable, Sendable {
    /// A public key of 32 bytes.
    case ed25519([UInt8])
    /// The coordinates of a point on P-256, 32 bytes each.
    case p256(x: [UInt8], y: [UInt8])
    /// The modulus and the exponent, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case secret([UInt8])

    /// A longer modulus or exponent would make each check of a token expensive.
    static let modulusBits = 2_048...8_192
    static let mostExponentBits = 32
    /// HS256 needs a secret that is as long as its hash (RFC 7518, section 3.2).
    static let leastSecret = 32
    static let coordinateBytes = 32

    var algorithm: SignatureAlgorithm {
        switch self {
        case .ed25519: .edDSA
        case .p256: .es256
        case .rsa: .rs256
        case .secret: .hs256
        }
    }

    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    init(ed25519 point: [UInt8]) throws(KeyProblem) {
        try KeyMaterial.checkLength(of: point, "x")
        guard EdwardsPoint.isOnCurve(point) else { throw .notOnCurve("Ed25519") }
        guard !EdwardsPoint.hasSmallOrder(point) else { throw .weakPoint }
        self = .ed25519(point)
    }

    /// The point is compared with the curve when OpenSSL reads it.
    init(x: [UInt8], y: [UInt8]) throws(KeyProblem) {
        try KeyMaterial.checkLength(of: x, "x")
        try KeyMaterial.checkLength(of: y, "y")
        self = .p256(x: x, y: y)
    }

    init(modulus: [UInt8], exponent: [UInt8]) throws(KeyProblem) {
        // RFC 7518, section 2. Two forms of one number would be two keys.
        if modulus.first == 0 { throw .leadingZero("n") }
        if exponent.first == 0 { throw .leadingZero("e") }
        let bits = KeyMaterial.bits(of: modulus)
        guard KeyMaterial.modulusBits.contains(bits) else { throw .modulusBits(bits) }
        guard modulus.last.map({ $0 & 1 == 1 }) == true else { throw .evenModulus }
        let exponentBits = KeyMaterial.bits(of: exponent)
        guard exponentBits <= KeyMaterial.mostExponentBits else { throw .longExponent(bits: exponentBits) }
        // An exponent of 1 would make every message its own signature.
        guard exponentBits >= 2, exponent.last.map({ $0 & 1 == 1 }) == true else { throw .badExponent }
        self = .rsa(modulus: modulus, exponent: exponent)
    }

    init(secret: [UInt8]) throws(KeyProblem) {
        guard secret.count >= KeyMaterial.leastSecret else { throw .shortSecret(bytes: secret.count) }
        self = .secret(secret)
    }

    private static func checkLength(of bytes: [UInt8], _ member: String) throws(KeyProblem) {
        guard bytes.count == coordinateBytes else {
            throw .wrongLength(member, bytes: bytes.count, expected: coordinateBytes)
        }
    }

    /// The bits of a number without leading zero bytes.
    private static func bits(of number: [UInt8]) -> Int {
        number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
    }
}
