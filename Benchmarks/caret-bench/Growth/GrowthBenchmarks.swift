/// `caret-bench growth`: what an operation costs the server while something grows.
struct GrowthBenchmarks {
    static let measure = """
        The CPU time of caretd's process for one operation, while one quantity grows. Medians of several rounds.
        A cost that grows faster than its quantity, or in a jump, is a fault or has a reason in docs/decisions.
        """

    private let options: Options

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--folder"], takesWords: true) else { return nil }
        self.options = options
    }

    func run() async {
        let program = BenchServers.program(named: "caretd")
        ServerBenchmarks.raiseDescriptors()
        let base = BenchFolder(in: options.folder)
        defer { base.remove() }
        let servers = BenchServers(program: program, base: base, isAlone: false)
        let run = GrowthRun(servers: servers, isQuick: options.isQuick)
        for (growth, measure) in GrowthBenchmarks.growths where options.wants(growth.name) {
            var growth = growth
            for size in run.points(growth.sizes) { growth.add(size, await measure(run, size)) }
            growth.report()
        }
    }

    /// Each growth with the function that measures a point: the costs of the operations, in their order.
    private static let growths: [(Growth, @Sendable (GrowthRun, Int) async -> [Double])] = [
        (SizeGrowth.growth, SizeGrowth.measure), (HistoryGrowth.growth, HistoryGrowth.measure),
        (DocumentsGrowth.growth, DocumentsGrowth.measure),
        (ConnectionGrowth.growth, ConnectionGrowth.measure), (BehindGrowth.growth, BehindGrowth.measure),
        (SelectionGrowth.growth, SelectionGrowth.measure), (PresenceGrowth.growth, PresenceGrowth.measure),
    ]
}
