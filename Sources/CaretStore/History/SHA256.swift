import COpenSSL
import CaretLog

/// Digests by OpenSSL's libcrypto.
enum SHA256 {
    static func digest(of bytes: [UInt8]) -> Digest {
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { target in
            _ = COpenSSL.SHA256(bytes, bytes.count, target.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        return Digest(words)
    }
}

extension Digest {
    /// The 32 bytes as libcrypto writes them.
    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
}
