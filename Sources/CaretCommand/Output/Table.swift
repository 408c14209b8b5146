/// Rows of fields: aligned columns for users, tabs between the fields for programs.
package struct Table: Sendable {
    package struct Column: Sendable {
        let title: String
        let isNumber: Bool

        package init(_ title: String, isNumber: Bool = false) {
            self.title = title
            self.isNumber = isNumber
        }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []
    /// The column that is shortened on a narrow screen.
    private let flexible: Int

    private static let gap = 2
    /// The smallest width of the shortened column.
    private static let narrowest = 8

    package init(_ columns: [Column], flexible: Int = 0) {
        self.columns = columns
        self.flexible = flexible
    }

    package mutating func add(_ row: [String]) { rows.append(row) }

    /// The rows for files and programs, without titles and with no field shortened.
    package var plain: String { rows.map { $0.map(\.field).joined(separator: "\t") + "\n" }.joined() }

    /// The rows for a terminal. Visible signs replace control characters, so no field can control the
    /// terminal.
    package func text(on screen: Screen, _ style: Style, titled: Bool = true) -> String {
        let rows = rows.map { $0.map(\.field.printable) }
        let widths = widths(of: rows, in: screen.columns)
        let titles = style.painted(line(columns.map(\.title), widths), .heading) + "\n"
        return (titled ? titles : "") + rows.map { line($0, widths) + "\n" }.joined()
    }

    private func widths(of rows: [[String]], in limit: Int) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(columns[index].title.columns) { max($0, $1[index].columns) }
        }
        let all = widths.reduce(0, +) + Table.gap * (widths.count - 1)
        if all > limit { widths[flexible] = max(Table.narrowest, widths[flexible] - (all - limit)) }
        return widths
    }

    private func line(_ fields: [String], _ widths: [Int]) -> String {
        let padded = fields.indices.map { index in
            fields[index].shortened(to: widths[index])
                .padded(to: widths[index], atStart: columns[index].isNumber)
        }
        var text = padded.joined(separator: String(repeating: " ", count: Table.gap))
        while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
        return text
    }
}
