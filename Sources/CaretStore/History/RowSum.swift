import CaretLog

/// What a row bears to be told from a row with other values: the first eight bytes of a digest of numbers and then of
/// bytes, each with their count.
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

    /// Of all that was taken; nothing may follow.
    mutating func value() -> Int64 { Int64(bitPattern: digest.digest().words[0]) }
}
