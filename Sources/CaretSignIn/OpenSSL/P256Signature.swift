/// A signature of ES256: the numbers r and s, 32 bytes each (RFC 7518, section 3.4).
struct P256Signature: Equatable {
    static let size = 64
    /// The order of the group (FIPS 186-4, appendix D.1.2.3).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    let bytes: [UInt8]

    /// `bytes` must have `size` bytes. Nil if r or s is 0, or not below the order of the group.
    init?(_ bytes: [UInt8]) {
        let halves = [bytes[..<(P256Signature.size / 2)], bytes[(P256Signature.size / 2)...]]
        let isInRange = halves.allSatisfy { half in
            half.contains { $0 != 0 } && half.lexicographicallyPrecedes(P256Signature.order)
        }
        guard isInRange else { return nil }
        self.bytes = bytes
    }

    /// Reads a signature that OpenSSL has made. It has fewer than 128 bytes, so each length is one byte.
    init(madeAs der: [UInt8]) {
        var bytes: [UInt8] = []
        var index = 2
        for _ in 0..<2 {
            let end = index + 2 + Int(der[index + 1])
            let digits = der[(index + 2)..<end].drop { $0 == 0 }
            bytes += [UInt8](repeating: 0, count: P256Signature.size / 2 - digits.count) + digits
            index = end
        }
        self.bytes = bytes
    }

    var der: [UInt8] {
        let half = P256Signature.size / 2
        return DER.sequence(DER.integer(Array(bytes[..<half])), DER.integer(Array(bytes[half...])))
    }
}
