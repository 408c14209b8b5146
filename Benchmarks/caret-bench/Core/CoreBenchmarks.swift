import CaretCore
import TestSupport

/// `caret-bench core`: the shared core, with one table for each subject.
struct CoreBenchmarks {
    static let measure =
        "Times are CPU time of the measuring thread, the best round; ratios are of the same run, round by round."

    let rounds: Int

    func run() {
        TextBenchmarks(rounds: rounds).run()
        DiffBenchmarks(rounds: rounds).run()
        ChangeBenchmarks(rounds: rounds).run()
    }
}
