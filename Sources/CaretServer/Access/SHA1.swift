import COpenSSL

/// SHA-1 by OpenSSL's libcrypto. The handshake of WebSockets uses it, but not as a protection.
package enum SHA1 {
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA_DIGEST_LENGTH)) { target, count in
            _ = COpenSSL.SHA1(bytes, bytes.count, target.baseAddress)
            count = Int(SHA_DIGEST_LENGTH)
        }
    }
}
