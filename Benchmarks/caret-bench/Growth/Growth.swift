/// One quantity that grows, and what some operations cost at each of its sizes.
struct Growth {
    /// The name of the growth, which the command line accepts.
    let name: String
    /// The unit of `sizes`, for the axis and the table.
    let unit: String
    let sizes: [Int]
    let operations: [String]
    /// What the table says about the operations.
    let about: String
    private var points: [(size: Int, costs: [Double])] = []

    init(_ name: String, in unit: String, _ sizes: [Int], _ operations: [String], about: String) {
        self.name = name
        self.unit = unit
        self.sizes = sizes
        self.operations = operations
        self.about = about
    }

    /// Adds the costs at a size, in nanoseconds. NaN means that an operation was not measured.
    mutating func add(_ size: Int, _ costs: [Double]) { points.append((size, costs)) }

    func report() {
        var table = Table([unit] + operations)
        for point in points { table.row([Growth.label(point.size)] + point.costs.map(\.time)) }
        table.print(under: name + ": " + about)
        LinePlot(
            title: "CPU time by " + name, quantity: unit, series: operations,
            points: points.map { (Double($0.size), Growth.label($0.size), $0.costs) }
        ) { $0.time }
        .draw(as: "growth-" + name.replacing(" ", with: "-"))
    }

    /// A short form of a number, such as `250k`.
    private static func label(_ number: Int) -> String {
        if number >= 1_000_000, number % 1_000_000 == 0 { return "\(number / 1_000_000)M" }
        return number >= 1_000 && number % 1_000 == 0 ? "\(number / 1_000)k" : String(number)
    }
}
