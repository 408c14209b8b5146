/// Servers with the same crowd, measured in turns: short ones, so that what else the machine does meets them all.
struct CrowdTurns {
    let count: Int
    /// Of one turn of one server, in nanoseconds.
    let length: Double

    /// Each server is measured for so many nanoseconds in all.
    init(of time: Double) {
        count = max(1, Int((time / 0.5e9).rounded()))
        length = time / Double(count)
    }

    func run(_ sides: [ServerSide]) {
        for _ in 0..<count { for side in sides { side.run(for: length) } }
        for side in sides { side.end() }
    }
}
