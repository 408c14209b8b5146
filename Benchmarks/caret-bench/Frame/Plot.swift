import Glibc

/// A bar chart as SVG. Each group is a case, with one bar for each series.
struct Plot {
    let title: String
    /// The names of the compared series, with one bar each in every group.
    let series: [String]
    /// Formats a value.
    let format: (Double) -> String
    /// Whether bars show the logarithm of their values, for values that differ by factors of thousands.
    let isLogarithmic: Bool
    private var groups: [(name: String, values: [Double])] = []

    init(
        _ title: String, _ series: [String], isLogarithmic: Bool = false,
        format: @escaping (Double) -> String
    ) {
        self.title = title
        self.series = series
        self.isLogarithmic = isLogarithmic
        self.format = format
    }

    mutating func group(_ name: String, _ values: [Double]) { groups.append((name, values)) }

    /// Writes the plot to the folder, if there is one.
    func draw(as name: String) {
        if !groups.isEmpty { Picture.write(name) { svg } }
    }

    // MARK: Drawing

    private enum Measure {
        static let (width, left, right, top) = (840, 260, 110, 84)
        static let (bar, gap) = (16, 14)
    }

    private var groupHeight: Int { series.count * Measure.bar + Measure.gap }
    private var height: Int { Measure.top + groups.count * groupHeight + 8 }

    private var svg: String {
        let style = """
            .bar0 { fill: #2563c9 } .bar1 { fill: #b4bcc6 } .bar2 { fill: #e08a2e } .bar3 { fill: #5aa469 }
            """
        let darkStyle = """
            .bar0 { fill: #5b9bff } .bar1 { fill: #59636e } .bar2 { fill: #e0993f } .bar3 { fill: #6cbf7d }
            """
        let head = Picture.head(
            title + scale, width: Measure.width, height: height, style: style, darkStyle: darkStyle)
        return ([head] + legend + bars + ["</svg>", ""]).joined(separator: "\n")
    }

    private var scale: String { isLogarithmic ? " (logarithmic)" : "" }

    private var legend: [String] {
        series.enumerated().map { index, name in
            let x = 16 + index * 190
            return """
                <rect class="bar\(index)" x="\(x)" y="46" width="12" height="12" rx="2"/>\
                <text x="\(x + 18)" y="57">\(Picture.escaped(name))</text>
                """
        }
    }

    private var bars: [String] {
        groups.enumerated().flatMap { place, group in
            let top = Measure.top + place * groupHeight
            let middle = top + series.count * Measure.bar / 2 + 4
            let label = #"<text x="16" y="\#(middle)">\#(Picture.escaped(group.name))</text>"#
            return [label] + group.values.enumerated().map { bar($0, $1, top: top) }
        }
    }

    private func bar(_ index: Int, _ value: Double, top: Int) -> String {
        let (y, length) = (top + index * Measure.bar, Int(share(of: value) * Double(room)))
        return """
            <rect class="bar\(index)" x="\(Measure.left)" y="\(y)" width="\(max(1, length))" height="\(Measure.bar - 3)" rx="2"/>\
            <text class="value" x="\(Measure.left + length + 6)" y="\(y + 11)">\(Picture.escaped(format(value)))</text>
            """
    }

    private var room: Int { Measure.width - Measure.left - Measure.right }

    /// The length of a bar, as a share of the longest bar.
    private func share(of value: Double) -> Double {
        let values = groups.flatMap(\.values).filter { $0 > 0 }
        guard let most = values.max(), let least = values.min(), value > 0 else { return 0 }
        // The logarithmic axis begins at a tenth of the least value, so that the shortest bar is visible.
        return isLogarithmic ? log10(value / least * 10) / log10(most / least * 10) : value / most
    }
}
