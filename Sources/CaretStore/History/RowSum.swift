import CaretLog

/// A checksum over the values of a row: the first eight bytes of a SHA-256 digest. The numbers come first,
/// then byte strings, each after its length.
struct RowSum {
    private var digest = SHA256()

    mutating func take(_ number: Int64) { digest.take(number) }

    mutating func take(_ bytes: [UInt8]) {
        digest.take(Int64(bytes.count))
        digest.take(bytes)
    }

    mutating func take(_ other: Digest) {
        digest.take(32)
        digest.take(other)
    }

    /// The sum of all values so far. Nothing may be added afterwards.
    mutating func value() -> Int64 { Int64(bitPattern: digest.digest().words[0]) }
}
