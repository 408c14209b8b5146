import CaretLog

/// What a row bears to be told from a row with other values.
enum RowSum {
    /// The first eight bytes of a digest of the numbers and of the bytes, each with their count.
    static func of(_ numbers: [Int64], _ bytes: [UInt8]...) -> Int64 {
        var all: [UInt8] = []
        all.reserveCapacity(8 * (numbers.count + bytes.count) + bytes.reduce(0) { $0 + $1.count })
        for number in numbers { all.append(number) }
        for part in bytes {
            all.append(Int64(part.count))
            all.append(contentsOf: part)
        }
        return Int64(bitPattern: SHA256.digest(of: all).words[0])
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: Int64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
