import CaretCore

/// A string compared, ordered and hashed by its bytes.
///
/// Swift's `String` compares by canonical equivalence, so two different names could compare as equal.
package struct WireString: Hashable, Comparable, Sendable {
    package let string: String

    package init(_ string: String) { self.string = string }

    package var utf8: String.UTF8View { string.utf8 }

    package static func == (left: WireString, right: WireString) -> Bool {
        hasSameBytes(left.string, right.string)
    }

    package static func < (left: WireString, right: WireString) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Calls `body` with the bytes. A native string is not copied. A string bridged from Objective-C is
    /// copied.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = string
        return copy.withUTF8(body)
    }
}

extension WireString: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }

    package var description: String { string }
}
