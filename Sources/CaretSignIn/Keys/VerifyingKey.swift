import COpenSSL
import CaretTLS
import CaretWire

/// A key that checks signatures, ready for use.
struct VerifyingKey: Sendable {
    let id: WireString?
    let mark: KeyMark
    let material: KeyMaterial
    /// Nil for a secret.
    private let handle: KeyHandle?

    var algorithm: SignatureAlgorithm { material.algorithm }

    init(id: WireString?, _ material: KeyMaterial) throws(KeyProblem) {
        // The handles of other keys do this, but a secret has no handle.
        OpenSSLStart.ensure()
        self.id = id
        self.material = material
        mark = KeyMark(material)
        handle = try material.publicHandle()
    }

    /// Checks the signature of `message`, which is the token up to its last point.
    func check(_ signature: [UInt8], of message: ArraySlice<UInt8>) throws(SignedTokenFault) {
        guard signature.count == material.signatureBytes else {
            throw .signatureLength(bytes: signature.count, expected: material.signatureBytes)
        }
        let isValid: Bool
        switch material {
        case .ed25519: isValid = handle?.isValid(signature, of: message, hash: nil) == true
        case .rsa: isValid = handle?.isValid(signature, of: message, hash: EVP_sha256()) == true
        case .p256:
            guard let numbers = P256Signature(signature) else { throw .signatureRange }
            isValid = handle?.isValid(numbers.der, of: message, hash: EVP_sha256()) == true
        case .secret(let secret):
            isValid = isEqual(signature, HMACSHA256.code(of: message, secret: secret))
        }
        guard isValid else { throw .wrongSignature }
    }

    /// Takes the same time for all codes, so that an attacker cannot guess one byte after the other. Both have the same
    /// length.
    private func isEqual(_ signature: [UInt8], _ code: [UInt8]) -> Bool {
        CRYPTO_memcmp(signature, code, code.count) == 0
    }
}

extension KeyMaterial {
    /// The only length of a signature that fits.
    var signatureBytes: Int {
        switch self {
        case .ed25519: 64
        case .p256: P256Signature.size
        case .rsa(let modulus, _): modulus.count
        case .secret: HMACSHA256.size
        }
    }
}

/// HMAC with SHA-256 (RFC 2104).
enum HMACSHA256 {
    static let size = 32

    static func code(of message: ArraySlice<UInt8>, secret: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: size)
        let made = message.withUnsafeBufferPointer {
            HMAC(EVP_sha256(), secret, Int32(secret.count), $0.baseAddress, $0.count, &code, nil)
        }
        guard made != nil else { preconditionFailure("OpenSSL cannot compute HMAC with SHA-256") }
        return code
    }
}
