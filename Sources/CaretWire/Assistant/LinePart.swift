/// Some lines of a text, with their ends.
package struct LinePart: Equatable {
    package let text: String
    /// Which lines they are, and how many the text has.
    package let words: String

    package struct Fault: Error, Equatable, CustomStringConvertible {
        let first: Int
        let count: Int

        package var description: String {
            "first_line is \(first), but the text has only \(count) line\(count == 1 ? "" : "s")"
        }
    }

    package init(_ lines: ToolLines, of text: String) throws(Fault) {
        var all = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A line break at the end of the text does not start another line.
        if all.last?.isEmpty == true { all.removeLast() }
        let part = all.dropFirst(lines.first - 1).prefix(lines.count ?? .max)
        if part.isEmpty, lines.first > 1 { throw Fault(first: lines.first, count: all.count) }
        let isEnd = part.endIndex == all.endIndex
        self.text = part.joined(separator: "\n") + (isEnd && !text.hasSuffix("\n") ? "" : "\n")
        words = part.isEmpty ? "without lines" : "lines \(lines.first) to \(part.endIndex) of \(all.count)"
    }
}
