/// A position in a text, as editors show it: the number of the line, and of the Unicode scalar in the line.
/// Both count from 1.
package struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    package static let start = TextPosition(line: 1, column: 1)

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "\(line):\(column)" }
}
