package import CaretCore

/// A document on a terminal: some of its lines with the carets and selections of all users, and a status
/// line.
package struct WatchPage: Sendable {
    package struct Peer: Equatable, Sendable {
        let name: String
        /// The id of the peer's session. With it, two users with the same name have different colours.
        let session: String
        let selections: [Selection]

        package init(name: String, session: String, selections: [Selection]) {
            self.name = name
            self.session = session
            self.selections = selections
        }
    }

    /// A row of the page: a line, and one of the rows into which the line is wrapped.
    package struct RowPosition: Comparable, Sendable {
        let line: Int
        let row: Int

        package init(line: Int, row: Int = 0) {
            self.line = line
            self.row = row
        }

        package static func < (one: RowPosition, other: RowPosition) -> Bool {
            (one.line, one.row) < (other.line, other.row)
        }
    }

    let name: String
    let revision: Revision
    let isConnected: Bool
    let peers: [Peer]
    let isColored: Bool
    private let text: TextBuffer
    private let lines: LineTable
    /// The selections: byte ranges of the text, and the index of the peer. A caret is an empty range.
    private let marks: [Mark]

    package init(
        name: String, text: TextBuffer, revision: Revision, isConnected: Bool, peers: [Peer], isColored: Bool
    ) {
        (self.name, self.revision, self.isConnected) = (name, revision, isConnected)
        self.peers = peers.sorted { $0.session < $1.session }
        self.isColored = isColored
        self.text = text
        lines = LineTable(text.string)
        marks = self.peers.enumerated().flatMap { index, peer in
            peer.selections.compactMap { selection in
                // The text and the selections are read one after the other, so a selection may not fit the
                // text. Such a selection is not shown until its next update.
                guard let start = try? text.convert(selection.start, to: UTF8Unit.self),
                    let end = try? text.convert(selection.end, to: UTF8Unit.self)
                else { return nil }
                return (start.value..<end.value, index)
            }
        }
    }

    private var lineCount: Int { max(1, lines.count + (endsOpen ? 0 : 1)) }

    /// Whether the last line has no line break. If the last line has a line break, an empty line follows,
    /// which can contain a caret.
    private var endsOpen: Bool { lines.count > 0 && !lines.hasLineBreak(lines.count - 1) }

    // MARK: Rows

    /// The row that contains an offset.
    func position(ofUTF16 offset: Int, in columns: Int) -> RowPosition {
        let inside = Offset(min(offset, text.end.value))
        // An offset inside a scalar was valid only in an older text. For such an offset, the first row is
        // returned.
        let byte = (try? text.convert(inside, to: UTF8Unit.self))?.value ?? 0
        let line = min(lineCount - 1, lines.line(of: byte))
        let row = rows(of: line, in: columns).lastIndex { $0.start <= byte } ?? 0
        return RowPosition(line: line, row: row)
    }

    /// The row that is this many rows below `start`, or above it if the number is negative. Stops at the first
    /// and the last row of the page.
    func position(_ start: RowPosition, movedBy count: Int, in columns: Int) -> RowPosition {
        var line = min(start.line, lineCount - 1)
        var last = rows(of: line, in: columns).count - 1
        var row = min(line < start.line ? last : start.row, last) + count
        while row < 0, line > 0 {
            line -= 1
            last = rows(of: line, in: columns).count - 1
            row += last + 1
        }
        while row > last, line + 1 < lineCount {
            row -= last + 1
            line += 1
            last = rows(of: line, in: columns).count - 1
        }
        return RowPosition(line: line, row: max(0, min(row, last)))
    }

    func lastPosition(in columns: Int) -> RowPosition {
        RowPosition(line: lineCount - 1, row: rows(of: lineCount - 1, in: columns).count - 1)
    }

    /// As many rows as fit; the last one is the status line. No row contains a sequence that moves the
    /// cursor.
    package func rows(from top: RowPosition, _ size: Terminal.Size) -> [String] {
        let height = max(0, size.rows - 1)
        var (rows, line) = ([String](), top.line)
        while rows.count < height, line < lineCount {
            let number = String(line + 1).padded(to: digits, atStart: true)
            let blank = String(repeating: " ", count: digits)
            for (index, row) in self.rows(of: line, in: size.columns).enumerated() {
                if line == top.line && index < top.row || rows.count == height { continue }
                rows.append((index == 0 ? faint(number) : blank) + " " + row.text)
            }
            line += 1
        }
        rows += Array(repeating: faint("~"), count: height - rows.count)
        return rows + [status(size.columns)]
    }

    /// The columns of the line numbers.
    private var digits: Int { String(lineCount).count }

    private func rows(of line: Int, in columns: Int) -> [WrappedLine.Row] {
        let range = line < lines.count ? lines.content(line) : lines.bytes.count..<lines.bytes.count
        let marks = marks(in: range)
        return WrappedLine(
            lines.text(range), at: range.lowerBound, columns: columns - digits - 1, isColored: isColored
        ) { owner(of: $0, among: marks) }.rows
    }

    // MARK: Marks

    private typealias Mark = (range: Range<Int>, peer: Int)

    /// The marks in a line or at its end.
    private func marks(in line: Range<Int>) -> [Mark] {
        marks.filter { $0.range.lowerBound <= line.upperBound && $0.range.upperBound >= line.lowerBound }
    }

    /// The peer who has a caret or a selection in `range`. If there are both, the peer with the caret.
    private func owner(of range: Range<Int>, among marks: [Mark]) -> Int? {
        if marks.isEmpty { return nil }
        let found = marks.filter {
            $0.range.isEmpty ? range.contains($0.range.lowerBound) : $0.range.overlaps(range)
        }
        return (found.first { $0.range.isEmpty } ?? found.first)?.peer
    }

    private func status(_ columns: Int) -> String {
        var left = columns
        let state = isConnected ? "" : " (not connected)"
        let head = "\(name.printable) \(revision.value)\(state)".shortened(to: max(1, left))
        left -= head.columns
        var row = isColored ? "\u{1B}[7m\(head)\u{1B}[0m" : head
        for (index, peer) in peers.enumerated() {
            let label = " \(peer.name.printable) "
            if label.columns + 1 > left { break }
            left -= label.columns + 1
            row += isColored ? " \u{1B}[30;\(WrappedLine.color(index))m\(label)\u{1B}[0m" : " \(label)"
        }
        return row
    }

    private func faint(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
