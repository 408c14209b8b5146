/// Measures servers with the same clients in short turns, so that other load of the machine affects all of
/// them.
struct CrowdTurns {
    let count: Int
    /// The length of one server's turn, in nanoseconds.
    let length: Double

    /// Measures each server for this time in total, in nanoseconds.
    init(of time: Double) {
        count = max(1, Int((time / 0.5e9).rounded()))
        length = time / Double(count)
    }

    func run(_ sides: [MeasuredServer]) {
        for _ in 0..<count { for side in sides { side.run(for: length) } }
        for side in sides { side.end() }
    }
}
