package import CaretWire

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
        // The end of the last line begins no other line.
        if all.last?.isEmpty == true { all.removeLast() }
        let first = lines.first - 1
        guard first < all.count || first == 0 else { throw Fault(first: lines.first, count: all.count) }
        let last = lines.count.map { min(all.count, first + min($0, all.count)) } ?? all.count
        let isEnd = last == all.count
        self.text = all[first..<last].joined(separator: "\n") + (isEnd && !text.hasSuffix("\n") ? "" : "\n")
        words = last > first ? "lines \(first + 1) to \(last) of \(all.count)" : "without lines"
    }
}
