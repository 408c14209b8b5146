/// A string in a line that was checked, as it stands between its quotes.
struct JSONString {
    let line: UnsafeBufferPointer<UInt8>
    /// Between the quotes.
    let range: Range<Int>
    let hasEscape: Bool

    init(_ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, hasEscape: Bool) {
        self.line = line
        self.range = range
        self.hasEscape = hasEscape
    }

    @inline(__always)
    var raw: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: line[range]) }

    /// The index behind its last quote.
    var end: Int { range.upperBound + 1 }

    /// The one copy that is made of a text on its way from the line to whoever keeps it, unless it has escapes.
    var decoded: WireString {
        // The whole line is valid UTF-8, so its parts between quotes are, and so is what escapes make.
        guard hasEscape else { return WireString(String(copying: UTF8Span(unchecked: raw.span))) }
        return withUnescaped(raw) { WireString(String(copying: UTF8Span(unchecked: $0.span))) }
    }

    /// It stands for this word, escaped or not.
    @inline(__always)
    func says(_ word: StaticString) -> Bool { hasEscape ? saysEscaped(word) : raw.equals(word) }

    private func saysEscaped(_ word: StaticString) -> Bool {
        // No byte takes more than six when it is escaped.
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
