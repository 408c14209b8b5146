import COpenSSL

/// The forms in which OpenSSL reads the numbers of a key.
extension KeyMaterial {
    /// 1.2.840.10045.2.1
    private static let ecName: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// 1.2.840.10045.3.1.7
    private static let p256Name: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// 1.2.840.113549.1.1.1
    private static let rsaName: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    /// 1.3.101.112
    private static let ed25519Name: [UInt8] = [0x2B, 0x65, 0x70]

    /// The public key for OpenSSL (RFC 5280, section 4.1); nil for a secret.
    func publicHandle() throws(KeyProblem) -> KeyHandle? {
        let der: [UInt8]
        switch self {
        case .ed25519(let point):
            der = DER.sequence(DER.sequence(DER.name(KeyMaterial.ed25519Name)), DER.bits(point))
        case .p256(let x, let y):
            let type = DER.sequence(DER.name(KeyMaterial.ecName), DER.name(KeyMaterial.p256Name))
            der = DER.sequence(type, DER.bits([4] + x + y))
        case .rsa(let modulus, let exponent):
            let type = DER.sequence(DER.name(KeyMaterial.rsaName), DER.null)
            let numbers = DER.sequence(DER.integer(modulus), DER.integer(exponent))
            der = DER.sequence(type, DER.bits(numbers))
        case .secret: return nil
        }
        guard let handle = KeyHandle(publicKey: der) else {
            if case .p256 = self { throw .notOnCurve("P-256") }
            throw .refusedByOpenSSL
        }
        return handle
    }

    /// The private key of Ed25519 for OpenSSL (RFC 8410, section 7).
    static func privateHandle(ed25519 key: [UInt8]) -> KeyHandle? {
        let der = DER.sequence(
            DER.integer(0), DER.sequence(DER.name(ed25519Name)), DER.octets(DER.octets(key)))
        return KeyHandle(privateKey: der, type: EVP_PKEY_ED25519)
    }

    /// The private key of P-256 for OpenSSL (RFC 5915, section 3).
    static func privateHandle(p256 key: [UInt8], x: [UInt8], y: [UInt8]) -> KeyHandle? {
        let der = DER.sequence(
            DER.integer(1), DER.octets(key), DER.explicit(0, DER.name(p256Name)),
            DER.explicit(1, DER.bits([4] + x + y)))
        return KeyHandle(privateKey: der, type: EVP_PKEY_EC)
    }

    /// The private key of RSA for OpenSSL (RFC 8017, appendix A.1.2). The numbers are n, e, d, p, q, dp, dq and qi.
    static func privateHandle(rsa numbers: [[UInt8]]) -> KeyHandle? {
        let parts = numbers.map(DER.integer(_:)).flatMap { $0 }
        return KeyHandle(privateKey: DER.sequence(DER.integer(0), parts), type: EVP_PKEY_RSA)
    }
}
