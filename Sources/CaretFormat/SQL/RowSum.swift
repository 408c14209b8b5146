import CaretLog

/// A checksum over the values of a row: the first eight bytes of a SHA-256 digest. The length of each byte
/// string comes before its bytes.
struct RowSum {
    private var digest = SHA256()

    mutating func update(_ number: Int64) { digest.update(number) }

    mutating func update(_ bytes: [UInt8]) {
        digest.update(Int64(bytes.count))
        digest.update(bytes)
    }

    mutating func update(_ other: Digest) {
        digest.update(32)
        digest.update(other)
    }

    /// The checksum of all values so far. No value may be added afterwards.
    mutating func value() -> Int64 { Int64(bitPattern: digest.digest().words[0]) }
}
