/// A line of a document, wrapped into rows of a terminal, with the marks of carets and selections.
struct WrappedLine {
    struct Row {
        /// The offset in the text at which the row begins, in bytes.
        let start: Int
        let text: String
    }

    /// At least one row, which is empty for an empty line.
    private(set) var rows: [Row] = []

    /// How many columns the text of a row can have. One more column is left for a caret at the end of the
    /// line.
    private let columns: Int
    private let isColored: Bool
    private var row = ""
    private var usedColumns = 0
    private var rowStart: Int
    /// The peer whose mark is open at the end of `row`. A mark is a colour, or brackets without colours.
    private var owner: Int?

    /// Background colours that are legible on light and dark terminals.
    private static let colors = [41, 42, 43, 44, 45, 46]
    private static let tab = 4

    /// `start` is the offset of the line in the text, in bytes. `owner` returns the peer who has a caret or a
    /// selection in a range of bytes.
    init(_ line: String, at start: Int, columns: Int, isColored: Bool, owner: (Range<Int>) -> Int?) {
        self.columns = max(1, columns - 1)
        self.isColored = isColored
        rowStart = start
        var offset = start
        for character in line {
            let next = offset + character.utf8.count
            add(character, at: offset, markedBy: owner(offset..<next))
            offset = next
        }
        if let owner = owner(offset..<offset + 1) { addCaret(of: owner, at: offset) }
        endRow()
    }

    static func color(_ peer: Int) -> Int { colors[peer % colors.count] }

    private mutating func add(_ character: Character, at offset: Int, markedBy peer: Int?) {
        var shown = shown(character, at: usedColumns, markedBy: peer)
        if usedColumns > 0, usedColumns + width(of: shown, markedBy: peer) > columns {
            endRow()
            rowStart = offset
            shown = self.shown(character, at: 0, markedBy: peer)
        }
        paint(peer)
        row += shown
        usedColumns += shown.columns
    }

    /// Shows a caret at the end of the line as an empty cell.
    private mutating func addCaret(of peer: Int, at offset: Int) {
        let shown = isColored ? " " : ""
        if usedColumns > 0, usedColumns + width(of: shown, markedBy: peer) > columns + 1 {
            endRow()
            rowStart = offset
        }
        paint(peer)
        row += shown
    }

    private mutating func endRow() {
        paint(nil)
        rows.append(Row(start: rowStart, text: row))
        (row, usedColumns) = ("", 0)
    }

    /// The columns that a character adds to the row, with the brackets of its mark.
    private func width(of shown: String, markedBy peer: Int?) -> Int {
        let closing = isColored || peer == nil ? 0 : 1
        return brackets(before: peer) + shown.columns + closing
    }

    private func brackets(before peer: Int?) -> Int {
        if isColored || peer == owner { return 0 }
        return (owner == nil ? 0 : 1) + (peer == nil ? 0 : 1)
    }

    private mutating func paint(_ peer: Int?) {
        if peer == owner { return }
        usedColumns += brackets(before: peer)
        if isColored {
            row += peer.map { "\u{1B}[30;\(WrappedLine.color($0))m" } ?? "\u{1B}[0m"
        } else {
            row += peer == nil ? "]" : owner == nil ? "[" : "]["
        }
        owner = peer
    }

    /// What the terminal shows for a character. It fits on a row of its own, with the brackets of its mark.
    private func shown(_ character: Character, at column: Int, markedBy peer: Int?) -> String {
        let (tab, text) = (WrappedLine.tab, String(character))
        let shown = text == "\t" ? String(repeating: " ", count: tab - column % tab) : text.printable
        let room = isColored || peer == nil ? columns : columns - 1
        return shown.columns <= room ? shown : "…"
    }
}
