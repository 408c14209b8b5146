import COpenSSL
package import CaretLog

/// A digest by OpenSSL's libcrypto, of bytes that come piece by piece.
///
/// The calls that libcrypto has for a piece of its own each time cost more than a short digest does.
package struct SHA256 {
    private var context = SHA256_CTX()

    package init() { SHA256_Init(&context) }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    package mutating func take(_ bytes: [UInt8]) { bytes.withUnsafeBytes { take($0) } }

    mutating func take(_ digest: Digest) { withUnsafeBytes(of: digest.words) { take($0) } }

    /// As eight bytes, the lowest first.
    mutating func take(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { take($0) } }

    /// Of all that was taken; nothing may follow.
    package mutating func digest() -> Digest {
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { target in
            _ = SHA256_Final(target.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        return Digest(words)
    }

    package static func digest(of bytes: [UInt8]) -> Digest {
        var sum = SHA256()
        sum.take(bytes)
        return sum.digest()
    }
}

extension Binding {
    mutating func next(_ digest: Digest) { withUnsafeBytes(of: digest.words) { next($0) } }
}

extension Digest {
    /// The 32 bytes as libcrypto writes them.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
}
