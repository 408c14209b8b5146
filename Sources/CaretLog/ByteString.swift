/// A name or key, compared, ordered and hashed by its bytes.
///
/// Swift's `String` compares by canonical equivalence, so the names of two different users could compare as
/// equal.
package struct ByteString: Hashable, Comparable, Sendable {
    package let utf8: [UInt8]

    package init(_ string: String) { utf8 = Array(string.utf8) }

    package init(utf8: [UInt8]) { self.utf8 = utf8 }

    package var string: String { String(decoding: utf8, as: UTF8.self) }

    // Feeds all bytes to the hasher at once. The hash function of an array would feed the bytes one by one.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package static func < (left: ByteString, right: ByteString) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    package func hasPrefix(_ prefix: ByteString) -> Bool { utf8.starts(with: prefix.utf8) }
}

extension ByteString: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }

    package var description: String { string }
}
