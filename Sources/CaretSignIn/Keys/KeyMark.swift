import COpenSSL
package import CaretLog
import CaretWire

/// Tells keys apart without their secrets: half of a SHA-256 over the key's algorithm and its numbers. A key that gets
/// another id stays the same key.
///
/// If the mark of a connection's token is no longer among the marks of the keys, the key is gone or was changed.
package struct KeyMark: Hashable, Sendable {
    // Not a vector: a compiler fault damages memory that async functions keep for vectors.
    private let high: UInt64
    private let low: UInt64

    package var bytes: ByteString {
        ByteString(utf8: [high, low].flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } })
    }

    init(_ material: KeyMaterial) {
        var bytes: [UInt8] = []
        let parts =
            [Array(material.algorithm.rawValue.utf8)] + material.numbers
        // The lengths keep apart what would otherwise have the same bytes.
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes += $0 }
            bytes += part
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        _ = SHA256(bytes, bytes.count, &digest)
        high = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension KeyMaterial {
    fileprivate var numbers: [[UInt8]] {
        switch self {
        case .ed25519(let point): [point]
        case .p256(let x, let y): [x, y]
        case .rsa(let modulus, let exponent): [modulus, exponent]
        case .secret(let secret): [secret]
        }
    }
}
