import CaretCore

/// A passage of text that an administrator removes from a document's whole history.
package struct Passage: Equatable, Sendable {
    /// The most bytes of UTF-8. The search compares about twice as many bytes for each revision.
    package static let mostBytes = 16_384

    /// Why a text cannot be a passage.
    package enum Fault: Error, Equatable {
        /// It has no characters except line breaks.
        case blank
        case tooLong(bytes: Int)
        /// It contains every character that could replace it.
        case noFill
    }

    /// The UTF-8.
    package var bytes: [UInt8] { search.bytes }
    /// What replaces a character of 1, 2, 3 and 4 bytes. The passage contains none of these characters, so the
    /// replaced text cannot contain the passage again.
    private let fills: [Unicode.Scalar]
    private let search: ByteSearch

    private static let lineFeed = UInt8(ascii: "\n")

    package init(_ text: String) throws(Fault) {
        let bytes = Array(text.utf8)
        if bytes.count > Passage.mostBytes { throw .tooLong(bytes: bytes.count) }
        if bytes.allSatisfy({ $0 == Passage.lineFeed }) { throw .blank }
        let used = Set(text.unicodeScalars)
        fills = Passage.candidates.compactMap { candidates in candidates.first { !used.contains($0) } }
        guard fills.count == Passage.candidates.count else { throw .noFill }
        search = ByteSearch(bytes)
    }

    /// For 1, 2, 3 and 4 bytes of UTF-8: characters of this length, the best first. All characters of a length also
    /// have the same number of UTF-16 units. Only for 2 bytes can a passage contain all of them.
    private static let candidates: [[Unicode.Scalar]] = [
        candidates("*#-_", 0x21...0x7E), candidates("×÷§", 0xA1...0x7FF), candidates("※•‡", 0x3400...0x4DBF),
        candidates("🔲🔳", 0x20000...0x21FFF),
    ]

    private static func candidates(_ best: String, _ others: ClosedRange<UInt32>) -> [Unicode.Scalar] {
        Array(best.unicodeScalars) + others.compactMap { Unicode.Scalar($0) }
    }

    /// Where the passage begins in `text`, in ascending order. Matches may overlap.
    package func matches(in text: [UInt8]) -> [Int] { search.matches(in: text) }

    /// The text with a replacement for each character in these ranges of its UTF-8. A replacement has the length of
    /// the character in every unit, so no offset changes. Line breaks stay, so no line number changes. The ranges are
    /// ascending, and end between scalars.
    package func masking(_ ranges: [Range<Int>], of text: String) -> String {
        let utf8 = Array(text.utf8)
        var (masked, end) = ([UInt8](), 0)
        for range in ranges {
            masked += utf8[end..<range.lowerBound]
            for scalar in String(decoding: utf8[range], as: UTF8.self).unicodeScalars {
                let fill = scalar == "\n" ? scalar : fills[scalar.utf8.count - 1]
                masked += fill.utf8
            }
            end = range.upperBound
        }
        return String(decoding: masked + utf8[end...], as: UTF8.self)
    }
}
