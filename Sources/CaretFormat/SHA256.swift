import COpenSSL
package import CaretLog

/// Computes SHA-256 with OpenSSL's libcrypto, from bytes in several pieces.
///
/// It uses libcrypto's low-level functions. The newer interface allocates a context for each digest, which
/// costs more than a short digest itself.
package struct SHA256 {
    private var context = SHA256_CTX()

    package init() { SHA256_Init(&context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    package mutating func update(_ digest: Digest) { withUnsafeBytes(of: digest.words) { update($0) } }

    /// Adds the number as eight bytes, little-endian.
    package mutating func update(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { update($0) } }

    /// The digest of all bytes so far. No bytes may be added afterwards.
    package mutating func digest() -> Digest {
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { target in
            _ = SHA256_Final(target.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        return Digest(words)
    }

    package static func digest(of bytes: [UInt8]) -> Digest {
        var sum = SHA256()
        sum.update(bytes)
        return sum.digest()
    }
}

extension Digest {
    /// The 32 bytes in the order of libcrypto.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
}
