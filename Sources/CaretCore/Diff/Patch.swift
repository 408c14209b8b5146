/// A difference between two texts in the format of `patch`, line by line.
package struct Patch: Sendable {
    package struct Piece: Equatable, Sendable {
        package enum Kind: Sendable {
            /// The names of the two texts.
            case title
            /// The numbers of the lines that follow.
            case location
            case kept
            case removed
            case inserted
            /// The part of a changed line that was removed.
            case removedPart
            /// The part of a changed line that was inserted.
            case insertedPart
            /// A remark about the line before it.
            case remark
        }

        package let kind: Kind
        package let text: String
    }

    /// The pieces of each line, without a line break. Empty if the texts are equal.
    package private(set) var lines: [[Piece]] = []

    /// The titles name the old and the new text.
    package init(_ diff: LineDiff, from oldTitle: String, to newTitle: String) {
        let hunks = diff.hunks()
        if hunks.isEmpty { return }
        add(.title, "--- \(oldTitle)")
        add(.title, "+++ \(newTitle)")
        for hunk in hunks { add(hunk, of: diff) }
    }

    /// The patch as a text.
    package var text: String {
        lines.reduce(into: "") { text, line in
            for piece in line { text += piece.text }
            text += "\n"
        }
    }

    private mutating func add(_ kind: Piece.Kind, _ text: String) {
        lines.append([Piece(kind: kind, text: text)])
    }

    private mutating func add(_ hunk: LineDiff.Hunk, of diff: LineDiff) {
        add(.location, "@@ -\(Patch.range(hunk.old)) +\(Patch.range(hunk.new)) @@")
        var next = hunk.old.lowerBound
        for block in hunk.blocks {
            for line in next..<block.old.lowerBound { addKept(line, diff.old) }
            // A block that only deletes or only inserts needs no marks inside its lines.
            let isChanged = !block.old.isEmpty && !block.new.isEmpty
            for line in block.old {
                add("-", line, diff.old, isChanged ? diff.marks(inOld: line) : [], .removed, .removedPart)
            }
            for line in block.new {
                add("+", line, diff.new, isChanged ? diff.marks(inNew: line) : [], .inserted, .insertedPart)
            }
            next = block.old.upperBound
        }
        for line in next..<hunk.old.upperBound { addKept(line, diff.old) }
    }

    private mutating func addKept(_ line: Int, _ table: LineTable) {
        add(" ", line, table, [], .kept, .kept)
    }

    private mutating func add(
        _ sign: String, _ line: Int, _ table: LineTable, _ marks: [Range<Int>], _ kind: Piece.Kind,
        _ part: Piece.Kind
    ) {
        let content = table.content(line)
        var (pieces, offset) = ([Piece(kind: kind, text: sign)], content.lowerBound)
        for range in marks {
            pieces.append(Piece(kind: kind, text: table.text(offset..<range.lowerBound)))
            pieces.append(Piece(kind: part, text: table.text(range)))
            offset = range.upperBound
        }
        pieces.append(Piece(kind: kind, text: table.text(offset..<content.upperBound)))
        lines.append(pieces)
        if !table.hasLineBreak(line) { add(.remark, #"\ No newline at end of file"#) }
    }

    /// A range of lines in the format of `patch`. An empty range has the number of the line before it.
    private static func range(_ lines: Range<Int>) -> String {
        switch lines.count {
        case 0: "\(lines.lowerBound),0"
        case 1: "\(lines.lowerBound + 1)"
        case let count: "\(lines.lowerBound + 1),\(count)"
        }
    }
}
