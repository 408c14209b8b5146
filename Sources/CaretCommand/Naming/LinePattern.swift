import CaretSync

/// What is looked for in lines: a regular expression, or a plain text.
struct LinePattern {
    private enum Kind {
        case bytes([UInt8])
        case expression(Regex<AnyRegexOutput>)
    }

    private let kind: Kind

    /// Nil where it is no regular expression, or nothing.
    init?(_ text: String, isPlain: Bool, ignoresCase: Bool) {
        if text.utf8.isEmpty { return nil }
        let isPlain = isPlain || !text.utf8.contains { LinePattern.signs.contains($0) }
        if isPlain, !ignoresCase {
            // Mostly people look for a word, and finding that takes no expression.
            kind = .bytes(Array(text.utf8))
            return
        }
        // Why it is none is told in a way that helps only who knows how they are read.
        guard let regex = isPlain ? Regex<AnyRegexOutput>(verbatim: text) : try? Regex(text) else {
            return nil
        }
        kind = .expression(regex.matchingSemantics(.unicodeScalar).ignoresCase(ignoresCase))
    }

    private static let signs = Set("\\^$.|?*+()[]{}#".utf8)

    /// Where it matches in a line of a text, in bytes of the text; matches of nothing are left out where there are others.
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
