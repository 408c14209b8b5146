import COpenSSL
import CaretTLS

/// A public or private key of OpenSSL, which is freed with the last reference.
///
/// All threads may use a key at once, because it never changes.
final class KeyHandle: Sendable {
    /// The key's address as a number, because pointers are not Sendable.
    private let address: UInt

    init(owning key: OpaquePointer) { address = UInt(bitPattern: key) }

    /// Reads a public key as DER. Nil if OpenSSL refuses it, for example because its point is not on the curve.
    convenience init?(publicKey der: [UInt8]) {
        OpenSSLStart.ensure()
        defer { ERR_clear_error() }
        let key = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let key else { return nil }
        self.init(owning: key)
    }

    /// Reads a private key as DER, in the form of its type.
    convenience init?(privateKey der: [UInt8], type: Int32) {
        OpenSSLStart.ensure()
        defer { ERR_clear_error() }
        let key = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_PrivateKey(type, nil, &start, bytes.count)
        }
        guard let key else { return nil }
        self.init(owning: key)
    }

    deinit { EVP_PKEY_free(OpaquePointer(bitPattern: address)) }

    /// Calls `body` with the key, which is not freed before `body` returns.
    func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        guard let pointer = OpaquePointer(bitPattern: address) else {
            preconditionFailure("a key has no address")
        }
        return try body(pointer)
    }

    /// Whether the signature belongs to the message. `hash` is nil for Ed25519, which hashes the message itself.
    func isValid(_ signature: [UInt8], of message: ArraySlice<UInt8>, hash: OpaquePointer?) -> Bool {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            // `SSL_get_error` is wrong if an error of this thread is left.
            ERR_clear_error()
        }
        return withPointer { key in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerifyInit(context, nil, hash, nil, key) == 1
                    && EVP_DigestVerify(
                        context, signature, signature.count, message.baseAddress, message.count) == 1
            }
        }
    }

    /// Nil if the key is not private.
    func signature(of message: [UInt8], hash: OpaquePointer?) -> [UInt8]? {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return withPointer { key in
            var count = 0
            guard EVP_DigestSignInit(context, nil, hash, nil, key) == 1,
                EVP_DigestSign(context, nil, &count, message, message.count) == 1
            else { return nil }
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
            return Array(signature[..<count])
        }
    }
}
