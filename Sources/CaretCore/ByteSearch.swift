/// Finds a sequence of bytes in others, in one pass: no byte is compared more than about twice.
package struct ByteSearch: Equatable, Sendable {
    package let bytes: [UInt8]
    /// For each prefix of `bytes`: the length of its longest proper prefix that is also its suffix.
    private let borders: [Int]

    /// `bytes` must not be empty.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var (borders, length) = ([0], 0)
        for byte in bytes.dropFirst() {
            while length > 0, bytes[length] != byte { length = borders[length - 1] }
            if bytes[length] == byte { length += 1 }
            borders.append(length)
        }
        self.borders = borders
    }

    /// Where the sequence begins in `text`, in ascending order, but not more places than `limit`. Matches may overlap.
    package func matches(in text: [UInt8], atMost limit: Int = .max) -> [Int] {
        var (matches, length) = ([Int](), 0)
        for (index, byte) in text.enumerated() {
            while length > 0, bytes[length] != byte { length = borders[length - 1] }
            if bytes[length] == byte { length += 1 }
            if length == bytes.count {
                matches.append(index + 1 - length)
                if matches.count == limit { break }
                length = borders[length - 1]
            }
        }
        return matches
    }
}
