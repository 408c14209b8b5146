/// The parts of a Markdown page that tests check: blocks of code, inline code, tables, links and anchors.
package struct MarkdownPage {
    package struct Block: Sendable {
        /// The last heading before the block.
        package let heading: String
        /// The word after the fence; empty if there is none.
        package let language: String
        package let lines: [String]
        /// The number of its first line, counted from 1.
        package let line: Int
    }

    package struct Table: Sendable {
        /// The last heading before the table.
        package let heading: String
        package let columns: [String]
        /// The cells of each row, as they are written.
        package let rows: [[String]]
        /// The number of its first line, counted from 1.
        package let line: Int
    }

    /// Inline code, or the target of a link.
    package struct Piece: Sendable {
        package let text: String
        package let line: Int
    }

    package private(set) var blocks: [Block] = []
    package private(set) var tables: [Table] = []
    package private(set) var code: [Piece] = []
    package private(set) var links: [Piece] = []
    /// The anchors that links to this page can use.
    package private(set) var anchors: Set<String> = []

    package init(_ text: String) {
        var prose: [(number: Int, text: Substring)] = []
        var open: (language: String, lines: [String], line: Int)?
        var heading = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(
                        Block(
                            heading: heading, language: block.language, lines: block.lines,
                            line: block.line))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [], index + 2)
                }
            } else if open != nil {
                open?.lines.append(String(line))
            } else {
                if line.hasPrefix("#") { heading = String(line.drop { $0 == "#" }.drop { $0 == " " }) }
                add(row: line, number: index + 1, under: heading)
                prose.append((index + 1, line))
            }
        }
        for line in prose where line.text.hasPrefix("#") { add(heading: line.text) }
        // Code may continue in the next line, but not in the next paragraph.
        for paragraph in prose.split(whereSeparator: { $0.text.isEmpty }) { add(Array(paragraph)) }
    }

    /// If a line is a row of a table, adds it to that table.
    private mutating func add(row line: Substring, number: Int, under heading: String) {
        guard line.hasPrefix("|") else { return }
        // Does not handle a bar inside code: no page has one in a table.
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { cell in String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        if let last = tables.last, last.line + last.rows.count + 2 == number {
            let rows = last.rows + [cells]
            tables[tables.count - 1] = Table(
                heading: last.heading, columns: last.columns, rows: rows, line: last.line)
        } else if !cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) {
            tables.append(Table(heading: heading, columns: cells, rows: [], line: number))
        }
    }

    /// Makes an anchor as GitHub does: lowercase, hyphens for spaces, and only letters, digits, `-` and `_`.
    private mutating func add(heading: Substring) {
        let title = heading.drop { $0 == "#" }.drop { $0 == " " }
        let anchor = title.lowercased().compactMap { character -> Character? in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
        }
        var (name, count) = (String(anchor), 0)
        while !anchors.insert(name).inserted {
            count += 1
            name = "\(String(anchor))-\(count)"
        }
    }

    private mutating func add(_ paragraph: [(number: Int, text: Substring)]) {
        let text = paragraph.map(\.text).joined(separator: "\n")
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        var (line, prose) = (paragraph[0].number, "")
        for (index, part) in parts.enumerated() {
            // A backtick without a partner is plain text.
            let isCode = index % 2 == 1 && index < parts.count - 1
            if isCode { code.append(Piece(text: String(part).replacing("\n", with: " "), line: line)) }
            // Leaves inline code out of `prose`, because code has no links. Keeps its line breaks, so that
            // line numbers stay right.
            let breaks = part.count { $0 == "\n" }
            prose += isCode ? String(repeating: "\n", count: breaks) : String(part)
            line += breaks
        }
        for (offset, row) in prose.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            for mark in ["](", "src=\"", "srcset=\"", "href=\""] {
                for found in row.ranges(of: mark) {
                    let target = row[found.upperBound...].prefix { !")\" ".contains($0) }
                    links.append(Piece(text: String(target), line: paragraph[0].number + offset))
                }
            }
        }
    }
}
