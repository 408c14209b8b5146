import CaretCore

/// A pattern for lines: a regular expression or a plain text.
struct LinePattern {
    private enum Kind {
        case bytes([UInt8])
        case expression(Regex<AnyRegexOutput>)
    }

    private let kind: Kind

    /// Nil if `text` is empty or not a regular expression.
    init?(_ text: String, isPlain: Bool, ignoresCase: Bool) {
        if text.utf8.isEmpty { return nil }
        let isPlain = isPlain || !text.utf8.contains { LinePattern.signs.contains($0) }
        if isPlain, !ignoresCase {
            // Most users search for a word. That search needs no regular expression.
            kind = .bytes(Array(text.utf8))
            return
        }
        // The error of Swift's parser is not shown, because it helps only users who know that parser.
        guard let regex = isPlain ? Regex<AnyRegexOutput>(verbatim: text) : try? Regex(text) else {
            return nil
        }
        kind = .expression(regex.matchingSemantics(.unicodeScalar).ignoresCase(ignoresCase))
    }

    private static let signs = Set("\\^$.|?*+()[]{}#".utf8)

    /// The matches in one line, as ranges of bytes of the text. If some matches are not empty, the empty ones
    /// are left out.
    func matches(in table: LineTable, line: Int) -> [Range<Int>] {
        let content = table.content(line)
        switch kind {
        case .bytes(let wanted): return LinePattern.ranges(of: wanted, in: table.bytes[content])
        case .expression(let regex):
            let text = table.text(content)
            let ranges = text.matches(of: regex).map { match in
                let start = text.utf8.distance(from: text.startIndex, to: match.range.lowerBound)
                let end = text.utf8.distance(from: text.startIndex, to: match.range.upperBound)
                return content.lowerBound + start..<content.lowerBound + end
            }
            let full = ranges.filter { !$0.isEmpty }
            return full.isEmpty ? ranges : full
        }
    }

    private static func ranges(of wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = bytes.startIndex
        while index + wanted.count <= bytes.endIndex {
            if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) {
                found.append(index..<index + wanted.count)
                index += wanted.count
            } else {
                index += 1
            }
        }
        return found
    }
}
