package import CaretSync

/// The output of a difference: the format of `patch`, with colours on a terminal.
package struct DiffPage {
    private let diff: LineDiff
    private let style: Style
    private let isForUsers: Bool
    package private(set) var text = ""

    /// The titles name the old and the new text.
    package init(
        _ diff: LineDiff, from oldTitle: String, to newTitle: String, style: Style, isForUsers: Bool
    ) {
        (self.diff, self.style, self.isForUsers) = (diff, style, isForUsers)
        let hunks = diff.hunks()
        if hunks.isEmpty { return }
        text += style.painted("--- \(oldTitle)", .heading) + "\n"
        text += style.painted("+++ \(newTitle)", .heading) + "\n"
        for hunk in hunks { write(hunk) }
    }

    private mutating func write(_ hunk: LineDiff.Hunk) {
        let header = "@@ -\(DiffPage.patchRange(hunk.old)) +\(DiffPage.patchRange(hunk.new)) @@"
        text += style.painted(header, .location) + "\n"
        var next = hunk.old.lowerBound
        for block in hunk.blocks {
            for line in next..<block.old.lowerBound { writeKept(line) }
            // A block that only deletes or only inserts needs no marks inside its lines.
            let isChanged = !block.old.isEmpty && !block.new.isEmpty
            for line in block.old {
                write("-", line, diff.old, isChanged ? diff.marks(inOld: line) : [], .removed, .removedMark)
            }
            for line in block.new {
                write("+", line, diff.new, isChanged ? diff.marks(inNew: line) : [], .inserted, .insertedMark)
            }
            next = block.old.upperBound
        }
        for line in next..<hunk.old.upperBound { writeKept(line) }
    }

    private mutating func writeKept(_ line: Int) {
        text += " " + shown(diff.old.text(diff.old.content(line))) + "\n"
        writeEnd(line, diff.old)
    }

    private mutating func write(
        _ sign: String, _ line: Int, _ table: LineTable, _ marks: [Range<Int>], _ paint: Style.Paint,
        _ mark: Style.Paint
    ) {
        let content = table.content(line)
        var (pieces, offset) = ([(sign, paint)], content.lowerBound)
        for range in marks {
            pieces.append((shown(table.text(offset..<range.lowerBound)), paint))
            pieces.append((shown(table.text(range)), mark))
            offset = range.upperBound
        }
        pieces.append((shown(table.text(offset..<content.upperBound)), paint))
        text += pieces.map { style.painted($0.0, $0.1) }.joined() + "\n"
        writeEnd(line, table)
    }

    private mutating func writeEnd(_ line: Int, _ table: LineTable) {
        if !table.hasLineBreak(line) { text += "\\ No newline at end of file\n" }
    }

    private func shown(_ text: String) -> String { isForUsers ? text.printable : text }

    /// A range of lines in the format of `patch`. An empty range has the number of the line before it.
    private static func patchRange(_ lines: Range<Int>) -> String {
        switch lines.count {
        case 0: "\(lines.lowerBound),0"
        case 1: "\(lines.lowerBound + 1)"
        case let count: "\(lines.lowerBound + 1),\(count)"
        }
    }
}
