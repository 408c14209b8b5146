/// Plots of the results of crowds at several servers.
struct CrowdPlots {
    private var rates: Plot
    private var latencies: Plot
    private var costs: Plot

    init(_ servers: [String]) {
        rates = Plot("Pushes a second", servers, isLogarithmic: true) { $0.digits(0) }
        latencies = Plot("From push to ack, median", servers, isLogarithmic: true) { $0.time }
        costs = Plot("CPU time of the server for a push", servers, isLogarithmic: true) { $0.time }
    }

    mutating func add(_ name: String, _ sides: [MeasuredServer]) {
        rates.group(name, sides.map(\.perSecond))
        latencies.group(name, sides.map { $0.acks.percentile(50) })
        costs.group(name, sides.map { $0.cpuPer100000Pushes * 10_000 })
    }

    func draw(as name: String) {
        rates.draw(as: name + "-rates")
        latencies.draw(as: name + "-latencies")
        costs.draw(as: name + "-costs")
    }
}
