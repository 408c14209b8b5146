/// A table. Each column is as wide as its widest cell.
struct Table {
    private var rows: [[String]]

    init(_ headings: [String]) { rows = [headings] }

    mutating func row(_ cells: String...) { rows.append(cells) }

    mutating func row(_ cells: [String]) { rows.append(cells) }

    func print(under title: String) {
        Swift.print(title)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            Swift.print("  " + cells.joined(separator: "  "))
        }
        Swift.print("")
    }
}
