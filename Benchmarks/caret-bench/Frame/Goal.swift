/// A bound for a figure, and whether the figure reaches it. NaN means that the figure was not measured, and
/// reaches no goal.
struct Goal {
    enum Bound {
        case atLeast(Double)
        case atMost(Double)
    }

    let name: String
    let bound: Bound
    let measured: Double
    /// Formats a value.
    let format: (Double) -> String

    init(_ name: String, _ bound: Bound, _ measured: Double, format: @escaping (Double) -> String) {
        self.name = name
        self.bound = bound
        self.measured = measured
        self.format = format
    }

    var isReached: Bool {
        switch bound {
        case .atLeast(let least): measured >= least
        case .atMost(let most): measured <= most
        }
    }

    private var cells: [String] {
        switch bound {
        case .atLeast(let least):
            [name, "at least " + format(least), format(measured), verdict(measured / least - 1)]
        case .atMost(let most):
            [name, "at most " + format(most), format(measured), verdict(1 - measured / most)]
        }
    }

    /// `margin` is the distance to the bound as a share of the bound. It is negative if the bound is missed.
    private func verdict(_ margin: Double) -> String {
        if margin.isNaN { return "not measured" }
        return margin >= 0 ? "reached" : "missed by \((-100 * margin).digits(0)) %"
    }

    static func print(_ goals: [Goal]) {
        if goals.isEmpty { return }
        var table = Table(["", "target", "measured", ""])
        for goal in goals { table.row(goal.cells) }
        table.print(under: "Targets")
    }
}
