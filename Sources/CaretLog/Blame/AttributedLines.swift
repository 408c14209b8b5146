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

    /// At least one block, each with at least one line. The last line has no line break and can be empty.
    private var blocks: [Block]

    /// Begins with the oldest known text. All lines of this text get this revision.
    package init(_ text: TextBuffer, at revision: Revision) {
        let segments = text.string.lineSegments
        blocks = [Block(segments.map { Line(length: $0, revision: revision) })]
        split(0)
    }

    /// All lines. A line break at the end of the text does not begin another line.
    package var lines: [Line] {
        let all = blocks.flatMap(\.lines)
        return all.last?.length == 0 ? all.dropLast() : all
    }

    /// Applies the change that produced `revision`.
    package mutating func apply(_ change: Change, making revision: Revision) {
        // Applies the last edit first, so that no edit moves the ranges of the remaining edits.
        for edit in change.edits.reversed() { apply(edit, revision) }
    }

    private mutating func apply(_ edit: Edit, _ revision: Revision) {
        let (start, end) = (edit.range.lowerBound.value, edit.range.upperBound.value)
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
        if first.block == last.block {
            let removed = blocks[first.block].lines[first.line...last.line].reduce(0) { $0 + $1.length }
            blocks[first.block].length += new.reduce(0) { $0 + $1.length } - removed
            if first.line == last.line, new.count == 1 {
                blocks[first.block].lines[first.line] = new[0]
            } else {
                blocks[first.block].lines.replaceSubrange(first.line...last.line, with: new)
            }
        } else {
            let head = blocks[first.block].lines[..<first.line]
            let tail = blocks[last.block].lines[(last.line + 1)...]
            blocks.replaceSubrange(first.block...last.block, with: [Block(head + new + tail)])
        }
        if blocks[first.block].lines.count > AttributedLines.maxLines { split(first.block) }
    }

    /// Splits a block into smaller ones.
    private mutating func split(_ index: Int) {
        let (lines, size) = (blocks[index].lines, AttributedLines.maxLines / 2)
        let pieces = stride(from: 0, to: lines.count, by: size).map {
            Block(lines[$0..<min($0 + size, lines.count)])
        }
        blocks.replaceSubrange(index...index, with: pieces)
    }
}

extension AttributedLines.Line {
    /// The length without the line break. The last line has no line break.
    fileprivate func lengthOfContent(isLast: Bool) -> Int { isLast ? length : length - 1 }
}

extension String {
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
