package import CaretCore

/// The lines of a text, each with the last revision that changed it.
///
/// A revision changes a line if it inserts text into the line, deletes text from the line, splits the line,
/// or joins it with another. A line that only moves is unchanged. Finding a line takes time proportional to
/// the square root of the number of lines.
package struct AttributedLines: Sendable {
    package struct Line: Equatable, Sendable {
        /// The length in UTF-16 code units, including the line break.
        package var length: Int
        package var revision: Revision
    }

    /// Why a change cannot be applied.
    package enum Fault: Error, Equatable {
        /// The change does not fit the text.
        case misplaced
        /// There would be more lines than allowed.
        case tooManyLines
    }

    /// A run of consecutive lines.
    private struct Block {
        var lines: [Line]
        var length: Int

        init(_ lines: some Sequence<Line>) {
            self.lines = Array(lines)
            length = self.lines.reduce(0) { $0 + $1.length }
        }
    }

    /// The position of a line: its block, its index in the block, and the offset of its start.
    private struct Position {
        var block: Int
        var line: Int
        var start: Int
    }

    /// The most lines of a block. A larger block is split.
    private static let maxLines = 1_024
    /// A smaller block is joined with a neighbour that has room for it. Otherwise a text that keeps growing and shrinking
    /// would end up with many small blocks, and finding a line would be slow.
    private static let minLines = 256

    /// At least one block, each with at least one line. The last line has no line break and can be empty.
    private var blocks: [Block]
    /// The length of the text.
    private var length: Int
    private var lineBreaks: Int
    /// How many lines there may be.
    private let most: Int

    /// Begins with the oldest known text. All lines of this text get this revision.
    package init(
        _ text: TextBuffer, at revision: Revision, atMost most: Int = .max
    ) throws(Fault) {
        let string = text.string
        if string.hasLineBreaks(over: most) { throw .tooManyLines }
        let segments = string.lineSegments
        blocks = [Block(segments.map { Line(length: $0, revision: revision) })]
        (length, lineBreaks, self.most) = (text.length.utf16, segments.count - 1, most)
        split(0)
        if count > most { throw .tooManyLines }
    }

    /// How many lines there are. A line break at the end of the text does not begin another line.
    package var count: Int { blocks[blocks.count - 1].lines.last?.length == 0 ? lineBreaks : lineBreaks + 1 }

    /// In how many blocks the lines are. Finding a line looks at each block.
    package var blockCount: Int { blocks.count }

    /// All lines.
    package var lines: [Line] {
        let all = blocks.flatMap(\.lines)
        return all.last?.length == 0 ? all.dropLast() : all
    }

    /// The revisions of all lines. The empty line after a line break at the end of the text is one of them, because it
    /// may become a line of the text again.
    var revisions: Set<Revision> { blocks.reduce(into: []) { $0.formUnion($1.lines.lazy.map(\.revision)) } }

    /// Calls `body` with all lines, from the first on, until `body` returns false.
    package func forEachLine(_ body: (Line) -> Bool) {
        var left = count
        for block in blocks {
            for line in block.lines.prefix(left) where !body(line) { return }
            left -= min(left, block.lines.count)
        }
    }

    /// Applies the change that produced `revision`. After a fault, the lines are those of no text.
    package mutating func apply(_ change: Change, making revision: Revision) throws(Fault) {
        // Applies the last edit first, so that no edit moves the ranges of the remaining edits.
        for edit in change.edits.reversed() { try replace(edit, making: revision) }
        if count > most { throw .tooManyLines }
    }

    /// Applies a change with only this edit.
    package mutating func apply(_ edit: Edit, making revision: Revision) throws(Fault) {
        try replace(edit, making: revision)
        if count > most { throw .tooManyLines }
    }

    private mutating func replace(_ edit: Edit, making revision: Revision) throws(Fault) {
        let (start, end) = (edit.range.lowerBound.value, edit.range.upperBound.value)
        guard start >= 0, start <= end, end <= length else { throw .misplaced }
        // This comes first because one edit can insert millions of lines.
        if edit.text.hasLineBreaks(over: most) { throw .tooManyLines }
        let first = position(of: start)
        let last = start == end ? first : position(of: end)
        let (head, tail) = (start - first.start, end - last.start)
        let (old, oldLast) = (line(at: first), line(at: last))
        let segments = edit.text.lineSegments
        var new: [Line] = []
        if segments.count == 1 {
            let length = head + segments[0] + oldLast.length - tail
            // If the edit deletes only whole lines, the line after or before them is unchanged and keeps its
            // revision. Such an edit deletes either the line breaks at the ends of these lines (`isSecond`)
            // or the line breaks before them (`isFirst`).
            let isEmpty = segments[0] == 0
            let isFirst =
                isEmpty && head == old.lengthOfContent(isLast: isLast(first))
                && tail == oldLast.lengthOfContent(isLast: isLast(last))
            let isSecond = isEmpty && head == 0 && tail == 0
            new = [
                Line(
                    length: length, revision: isFirst ? old.revision : isSecond ? oldLast.revision : revision)
            ]
        } else {
            let isFirst = segments[0] == 1 && head == old.lengthOfContent(isLast: isLast(first))
            new.append(Line(length: head + segments[0], revision: isFirst ? old.revision : revision))
            for length in segments.dropFirst().dropLast() {
                new.append(Line(length: length, revision: revision))
            }
            let isSecond = segments[segments.count - 1] == 0 && tail == 0
            new.append(
                Line(
                    length: segments[segments.count - 1] + oldLast.length - tail,
                    revision: isSecond ? oldLast.revision : revision))
        }
        length += edit.inserted.utf16 - (end - start)
        replace(first, last, with: new)
    }

    // MARK: Positions

    private func line(at position: Position) -> Line { blocks[position.block].lines[position.line] }

    private func isLast(_ position: Position) -> Bool {
        position.block == blocks.count - 1 && position.line == blocks[position.block].lines.count - 1
    }

    /// The line that contains an offset; at the end of the text, the last line.
    private func position(of offset: Int) -> Position {
        var position = Position(block: 0, line: 0, start: 0)
        while position.block < blocks.count - 1, position.start + blocks[position.block].length <= offset {
            position.start += blocks[position.block].length
            position.block += 1
        }
        let lines = blocks[position.block].lines
        while position.line < lines.count - 1, position.start + lines[position.line].length <= offset {
            position.start += lines[position.line].length
            position.line += 1
        }
        return position
    }

    private mutating func replace(_ first: Position, _ last: Position, with new: [Line]) {
        lineBreaks += new.count
        if first.block == last.block {
            lineBreaks -= last.line - first.line + 1
            let removed = blocks[first.block].lines[first.line...last.line].reduce(0) { $0 + $1.length }
            blocks[first.block].length += new.reduce(0) { $0 + $1.length } - removed
            if first.line == last.line, new.count == 1 {
                blocks[first.block].lines[first.line] = new[0]
            } else {
                blocks[first.block].lines.replaceSubrange(first.line...last.line, with: new)
            }
        } else {
            let before = blocks[first.block..<last.block].reduce(0) { $0 + $1.lines.count }
            lineBreaks -= before - first.line + last.line + 1
            let head = blocks[first.block].lines[..<first.line]
            let tail = blocks[last.block].lines[(last.line + 1)...]
            blocks.replaceSubrange(first.block...last.block, with: [Block(head + new + tail)])
        }
        if blocks[first.block].lines.count > AttributedLines.maxLines { split(first.block) }
        if blocks[first.block].lines.count < AttributedLines.minLines { join(first.block) }
    }

    /// Joins a small block with one of its neighbours, if the two together are not too large.
    private mutating func join(_ index: Int) {
        for left in [index, index - 1] where left >= 0 && left + 1 < blocks.count {
            let (first, second) = (blocks[left].lines, blocks[left + 1].lines)
            if first.count + second.count > AttributedLines.maxLines { continue }
            blocks.replaceSubrange(left...left + 1, with: [Block(first + second)])
            return
        }
    }

    /// Splits a block into smaller ones of nearly the same size. A small rest would never be joined, unless it is edited.
    private mutating func split(_ index: Int) {
        let lines = blocks[index].lines
        let count = max(1, 2 * lines.count / AttributedLines.maxLines)
        let pieces = (0..<count).map {
            Block(lines[lines.count * $0 / count..<lines.count * ($0 + 1) / count])
        }
        blocks.replaceSubrange(index...index, with: pieces)
    }
}

extension AttributedLines.Line {
    /// The length without the line break. The last line has no line break.
    fileprivate func lengthOfContent(isLast: Bool) -> Int { isLast ? length : length - 1 }
}

extension String {
    /// Whether the text has more than this many line breaks.
    fileprivate func hasLineBreaks(over most: Int) -> Bool {
        if utf8.count <= most { return false }
        return utf8.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } > most
    }

    /// The lengths of the lines in UTF-16 code units, with line breaks. The last line has no line break and
    /// can be empty.
    fileprivate var lineSegments: [Int] {
        var (segments, length) = ([Int](), 0)
        for byte in utf8 {
            // Counts each scalar at its first byte. A scalar of four bytes has two code units.
            length += byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
            if byte == UInt8(ascii: "\n") {
                segments.append(length)
                length = 0
            }
        }
        return segments + [length]
    }
}
