import Glibc

/// A chart of lines as SVG, with logarithmic axes. Each line is an operation, and each point is a measurement.
struct LinePlot {
    let title: String
    /// What the horizontal axis shows.
    let quantity: String
    let series: [String]
    /// The measurements: for each value of the horizontal axis, its label and the value of each series. NaN
    /// means that a series has no point there.
    let points: [(x: Double, label: String, values: [Double])]
    /// Formats a value of the vertical axis.
    let format: (Double) -> String

    /// Writes the plot to the folder, if there is one.
    func draw(as name: String) {
        if !points.isEmpty { Picture.write(name) { svg } }
    }

    // MARK: Drawing

    private enum Measure {
        static let (width, height) = (840, 440)
        static let (left, right, top, bottom) = (90, 30, 96, 64)
    }

    private static let colors = ["#2563c9", "#d9822b", "#3f9c56", "#8a4fc2", "#c0392b"]
    private static let darkColors = ["#5b9bff", "#e8a04c", "#6cbf7d", "#b58be8", "#f0736a"]

    private static func style(_ colors: [String], grid: String) -> String {
        let lines = colors.enumerated().map { index, color in
            """
            .line\(index) { fill: none; stroke: \(color); stroke-width: 2 } \
            .dot\(index) { fill: \(color) }
            """
        }
        return
            (lines + [".grid { stroke: \(grid) } .label { text-anchor: middle } .end { text-anchor: end }"])
            .joined(separator: "\n")
    }

    private var svg: String {
        let head = Picture.head(
            title + " (logarithmic)", width: Measure.width, height: Measure.height,
            style: LinePlot.style(LinePlot.colors, grid: "#d8dee4"),
            darkStyle: LinePlot.style(LinePlot.darkColors, grid: "#30363d"))
        let parts = [head] + legend + rows + columns + series.indices.map(line) + ["</svg>", ""]
        return parts.joined(separator: "\n")
    }

    private var legend: [String] {
        var x = 16
        return series.enumerated().map { index, name in
            defer { x += 40 + name.count * 7 }
            return """
                <rect class="dot\(index)" x="\(x)" y="46" width="12" height="12" rx="2"/>\
                <text x="\(x + 18)" y="57">\(Picture.escaped(name))</text>
                """
        }
    }

    /// The lines of the grid at the powers of ten, with their values.
    private var rows: [String] {
        (lowest...highest).map { power in
            let y = vertical(pow(10, Double(power)))
            return """
                <line class="grid" x1="\(Measure.left)" y1="\(y)" x2="\(Measure.width - Measure.right)" y2="\(y)"/>\
                <text class="value end" x="\(Measure.left - 8)" y="\(y + 4)">\
                \(Picture.escaped(format(pow(10, Double(power)))))</text>
                """
        }
    }

    private var columns: [String] {
        let below = Measure.height - Measure.bottom
        let name = """
            <text class="label" x="\(Measure.width / 2)" y="\(below + 46)">\(Picture.escaped(quantity))</text>
            """
        return points.map { point in
            """
            <text class="value label" x="\(horizontal(point.x))" y="\(below + 20)">\
            \(Picture.escaped(point.label))</text>
            """
        } + [name]
    }

    private func line(_ index: Int) -> String {
        let places = points.filter { $0.values[index] > 0 }.map {
            (x: horizontal($0.x), y: vertical($0.values[index]))
        }
        let path = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        let dots = places.map { #"<circle class="dot\#(index)" cx="\#($0.x)" cy="\#($0.y)" r="3.5"/>"# }
        return #"<polyline class="line\#(index)" points="\#(path)"/>"# + dots.joined()
    }

    // MARK: Scales

    private var logarithms: [Double] { points.flatMap(\.values).filter { $0 > 0 }.map(log10) }
    private var lowest: Int { Int((logarithms.min() ?? 0).rounded(.down)) }
    private var highest: Int { max(lowest + 1, Int((logarithms.max() ?? 1).rounded(.up))) }

    private func vertical(_ value: Double) -> Int {
        let share = (log10(value) - Double(lowest)) / Double(highest - lowest)
        let space = Double(Measure.height - Measure.top - Measure.bottom)
        return Measure.height - Measure.bottom - Int((share * space).rounded())
    }

    private func horizontal(_ value: Double) -> Int {
        let (first, last) = (log10(points[0].x), log10(points[points.count - 1].x))
        let share = last > first ? (log10(value) - first) / (last - first) : 0
        let inset = 20.0
        let space = Double(Measure.width - Measure.left - Measure.right) - 2 * inset
        return Measure.left + Int((inset + share * space).rounded())
    }
}
