import CaretCore

/// A string in a checked line, still escaped.
struct JSONString {
    let line: UnsafeBufferPointer<UInt8>
    /// The bytes between the quotes.
    let range: Range<Int>
    let hasEscape: Bool

    init(_ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, hasEscape: Bool) {
        self.line = line
        self.range = range
        self.hasEscape = hasEscape
    }

    @inline(__always)
    var raw: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: line[range]) }

    /// The index after the closing quote.
    var end: Int { range.upperBound + 1 }

    /// The unescaped string. If the string has no escapes, its bytes are copied only once.
    var decoded: WireString {
        // The whole line is valid UTF-8. So the bytes between quotes and the result of unescaping are valid
        // too.
        guard hasEscape else { return WireString(raw.string) }
        return withUnescaped(raw) { WireString($0.string) }
    }

    /// Whether the unescaped string equals `word`.
    @inline(__always)
    func equals(_ word: StaticString) -> Bool { hasEscape ? equalsEscaped(word) : raw.equals(word) }

    private func equalsEscaped(_ word: StaticString) -> Bool {
        // The escape of one byte has at most six bytes.
        raw.count <= 6 * word.utf8CodeUnitCount && withUnescaped(raw) { $0.equals(word) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    func equals(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != word.utf8Start[index] { return false }
        return true
    }
}
