/// A change shown by lines: the lines that it removes and inserts, and the changed bytes inside these lines.
package struct LineDiff: Sendable {
    /// A range of old lines, and the range of new lines that replaces them.
    package struct Block: Equatable, Sendable {
        package var old: Range<Int>
        package var new: Range<Int>
    }

    /// Blocks that are close to each other, with unchanged lines around them.
    package struct Hunk: Equatable, Sendable {
        package var old: Range<Int>
        package var new: Range<Int>
        package var blocks: [Block]
    }

    package let old: LineTable
    package let new: LineTable
    package private(set) var blocks: [Block] = []
    /// The ranges of the removed bytes in `old` and of the inserted bytes in `new`, in order.
    private var removed: [Range<Int>] = []
    private var inserted: [Range<Int>] = []

    /// `new` must be the text after the change.
    package init(from old: TextBuffer, to new: TextBuffer, by change: Change) throws(TextError) {
        self.old = LineTable(old.string)
        self.new = LineTable(new.string)
        var shift = 0
        for edit in change.edits {
            let start = try old.convert(edit.range.lowerBound, to: UTF8Unit.self).value
            let end = try old.convert(edit.range.upperBound, to: UTF8Unit.self).value
            removed.append(start..<end)
            inserted.append(start + shift..<start + shift + edit.inserted.utf8)
            shift += edit.inserted.utf8 - (end - start)
        }
        blocks = joined().compactMap(trimmed)
    }

    /// The lines that the edits touch. Edits that touch the same line share a block.
    private func joined() -> [Block] {
        var blocks: [Block] = []
        for (removed, inserted) in zip(removed, inserted) {
            let block = Block(old: lines(of: removed, in: old), new: lines(of: inserted, in: new))
            if let last = blocks.last,
                block.old.lowerBound < last.old.upperBound || block.new.lowerBound < last.new.upperBound
            {
                // The edits are in order, so no earlier edit ends in a later line.
                blocks[blocks.count - 1] = Block(
                    old: last.old.lowerBound..<block.old.upperBound,
                    new: last.new.lowerBound..<block.new.upperBound)
            } else {
                blocks.append(block)
            }
        }
        return blocks
    }

    private func lines(of range: Range<Int>, in table: LineTable) -> Range<Int> {
        table.line(of: range.lowerBound)..<min(table.count, table.line(of: range.upperBound) + 1)
    }

    /// The block without equal lines at its start and end. Nil if no line is left.
    private func trimmed(_ block: Block) -> Block? {
        var (old, new) = (block.old, block.new)
        while let first = old.first, let other = new.first, isSame(first, other) {
            (old, new) = (old.dropFirst(), new.dropFirst())
        }
        while let last = old.last, let other = new.last, isSame(last, other) {
            (old, new) = (old.dropLast(), new.dropLast())
        }
        return old.isEmpty && new.isEmpty ? nil : Block(old: old, new: new)
    }

    private func isSame(_ line: Int, _ other: Int) -> Bool {
        old.bytes[old.range(line)] == new.bytes[new.range(other)]
    }

    // MARK: Output

    /// The blocks, with up to `context` unchanged lines around them.
    package func hunks(context: Int = 3) -> [Hunk] {
        var hunks: [Hunk] = []
        for block in blocks {
            let around = Hunk(
                old: max(0, block.old.lowerBound - context)..<min(old.count, block.old.upperBound + context),
                new: max(0, block.new.lowerBound - context)..<min(new.count, block.new.upperBound + context),
                blocks: [block])
            if let last = hunks.last, around.old.lowerBound <= last.old.upperBound {
                hunks[hunks.count - 1] = Hunk(
                    old: last.old.lowerBound..<around.old.upperBound,
                    new: last.new.lowerBound..<around.new.upperBound, blocks: last.blocks + [block])
            } else {
                hunks.append(around)
            }
        }
        return hunks
    }

    /// The bytes that were removed from an old line, as ranges of the text. Empty if the whole line was
    /// removed.
    package func marks(inOld line: Int) -> [Range<Int>] { LineDiff.marks(removed, in: old.content(line)) }

    /// The bytes that were inserted into a new line. Empty if the whole line was inserted.
    package func marks(inNew line: Int) -> [Range<Int>] { LineDiff.marks(inserted, in: new.content(line)) }

    private static func marks(_ ranges: [Range<Int>], in line: Range<Int>) -> [Range<Int>] {
        let marks = ranges.firstEnding(after: line.lowerBound).prefix { $0.lowerBound < line.upperBound }
            .map { $0.clamped(to: line) }.filter { !$0.isEmpty }
        return marks == [line] ? [] : marks
    }
}

extension [Range<Int>] {
    /// The ranges that end after an offset. The ranges must be ascending.
    fileprivate func firstEnding(after place: Int) -> ArraySlice<Range<Int>> {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return self[low...]
    }
}
