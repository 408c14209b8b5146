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

    /// The index after its closing quote.
    var end: Int { range.upperBound + 1 }

    /// The unescaped string. If there are no escapes, this is the only copy made of a text on its way from
    /// the line.
    var decoded: WireString {
        // The whole line is valid UTF-8, so the bytes between quotes are too, and so is the result of
        // unescaping.
        guard hasEscape else { return WireString(String(copying: UTF8Span(unchecked: raw.span))) }
        return withUnescaped(raw) { WireString(String(copying: UTF8Span(unchecked: $0.span))) }
    }

    /// Whether the unescaped string equals `word`.
    @inline(__always)
    func says(_ word: StaticString) -> Bool { hasEscape ? saysEscaped(word) : raw.equals(word) }

    private func saysEscaped(_ word: StaticString) -> Bool {
        // An escaped byte has at most six bytes.
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
