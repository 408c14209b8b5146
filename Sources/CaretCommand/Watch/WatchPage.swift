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

    let name: String
    let revision: Revision
    let isConnected: Bool
    let peers: [Peer]
    let isColored: Bool
    private let text: TextBuffer
    private let lines: LineTable
    /// The selections: byte ranges of the text, and the index of the peer. A caret is an empty range.
    private let marks: [(range: Range<Int>, peer: Int)]

    /// Background colours that are legible on light and dark terminals.
    private static let colors = [41, 42, 43, 44, 45, 46]
    private static let tab = 4

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

    var lineCount: Int { max(1, lines.count + (endsOpen ? 0 : 1)) }

    /// Whether the last line has no line break. If the last line has a line break, an empty line follows,
    /// which can contain a caret.
    private var endsOpen: Bool { lines.count > 0 && !lines.hasLineBreak(lines.count - 1) }

    /// The line that contains an offset.
    func line(ofUTF16 offset: Int) -> Int {
        let inside = Offset(min(offset, text.end.value))
        // An offset inside a scalar was valid only in an older text. For such an offset, the first line is
        // returned.
        let byte = (try? text.convert(inside, to: UTF8Unit.self))?.value ?? 0
        return min(lineCount - 1, lines.line(of: byte))
    }

    /// As many rows as fit; the last one is the status line. No row contains a sequence that moves the
    /// cursor.
    package func rows(from top: Int, _ size: Terminal.Size) -> [String] {
        let height = max(0, size.rows - 1)
        let digits = String(lineCount).count
        let width = max(1, size.columns - digits - 1)
        var rows: [String] = []
        for line in top..<max(top, min(lineCount, top + height)) {
            let number = String(line + 1).padded(to: digits, atStart: true)
            rows.append(faint(number) + " " + row(line, width))
        }
        rows += Array(repeating: faint("~"), count: max(0, height - rows.count))
        return rows + [status(size.columns)]
    }

    private func row(_ line: Int, _ width: Int) -> String {
        let range = line < lines.count ? lines.content(line) : lines.bytes.count..<lines.bytes.count
        var row = ""
        var (used, offset, color) = (0, range.lowerBound, Int?.none)
        for character in lines.text(range) {
            let next = offset + character.utf8.count
            let shown = WatchPage.shown(character, at: used)
            if used + shown.columns > width - 1 {
                paint(nil, &color, &row)
                return row + "…"
            }
            paint(owner(of: offset..<next), &color, &row)
            row += shown
            used += shown.columns
            offset = next
        }
        // A caret at the end of a line is shown as an empty cell.
        if let owner = owner(of: offset..<offset + 1) {
            paint(owner, &color, &row)
            row += isColored ? " " : ""
        }
        paint(nil, &color, &row)
        return row
    }

    /// The peer who has a caret or a selection in `range`. If there are both, the peer with the caret.
    private func owner(of range: Range<Int>) -> Int? {
        let found = marks.filter {
            $0.range.isEmpty ? range.contains($0.range.lowerBound) : $0.range.overlaps(range)
        }
        return (found.first { $0.range.isEmpty } ?? found.first)?.peer
    }

    private func paint(_ peer: Int?, _ color: inout Int?, _ row: inout String) {
        if peer == color { return }
        if isColored {
            row += peer.map { "\u{1B}[30;\(WatchPage.color($0))m" } ?? "\u{1B}[0m"
        } else {
            row += peer == nil ? "]" : color == nil ? "[" : "]["
        }
        color = peer
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
            row += isColored ? " \u{1B}[30;\(WatchPage.color(index))m\(label)\u{1B}[0m" : " \(label)"
        }
        return row
    }

    private func faint(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    private static func color(_ peer: Int) -> Int { colors[peer % colors.count] }

    private static func shown(_ character: Character, at column: Int) -> String {
        character == "\t"
            ? String(repeating: " ", count: tab - column % tab) : String(character).printable
    }
}
