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
    package let bytes: [UInt8]
    /// The ASCII character that replaces the passage. The passage does not contain it, so the replaced text
    /// cannot contain the passage again.
    package let fill: UInt8
    /// For each prefix of `bytes`: the length of its longest proper prefix that is also its suffix.
    private let borders: [Int]

    private static let lineFeed = UInt8(ascii: "\n")

    package init(_ text: String) throws(Fault) {
        bytes = Array(text.utf8)
        if bytes.count > Passage.mostBytes { throw .tooLong(bytes: bytes.count) }
        if bytes.allSatisfy({ $0 == Passage.lineFeed }) { throw .blank }
        let candidates = Array("*#-_".utf8) + (UInt8(ascii: "!")...UInt8(ascii: "~"))
        let used = Set(bytes)
        guard let fill = candidates.first(where: { !used.contains($0) }) else { throw .noFill }
        self.fill = fill
        borders = Passage.borders(of: bytes)
    }

    private static func borders(of bytes: [UInt8]) -> [Int] {
        var (borders, length) = ([0], 0)
        for byte in bytes.dropFirst() {
            while length > 0, bytes[length] != byte { length = borders[length - 1] }
            if bytes[length] == byte { length += 1 }
            borders.append(length)
        }
        return borders
    }

    /// Where the passage begins in `text`, in ascending order. Matches may overlap.
    package func matches(in text: [UInt8]) -> [Int] {
        var (matches, length) = ([Int](), 0)
        for (index, byte) in text.enumerated() {
            while length > 0, bytes[length] != byte { length = borders[length - 1] }
            if bytes[length] == byte { length += 1 }
            if length == bytes.count {
                matches.append(index + 1 - length)
                length = borders[length - 1]
            }
        }
        return matches
    }

    /// The text with `fill` in these ranges of its UTF-8: one for each UTF-16 unit, so no offset changes.
    /// Line breaks stay, so no line number changes. The ranges are ascending, and end between scalars.
    package func masking(_ ranges: [Range<Int>], of text: String) -> String {
        let utf8 = Array(text.utf8)
        var (masked, end) = ([UInt8](), 0)
        for range in ranges {
            masked += utf8[end..<range.lowerBound]
            for scalar in String(decoding: utf8[range], as: UTF8.self).unicodeScalars {
                let isLineBreak = scalar.value == UInt32(Passage.lineFeed)
                let replacement = isLineBreak ? Passage.lineFeed : fill
                masked += Array(repeating: replacement, count: scalar.utf16.count)
            }
            end = range.upperBound
        }
        return String(decoding: masked + utf8[end...], as: UTF8.self)
    }
}
