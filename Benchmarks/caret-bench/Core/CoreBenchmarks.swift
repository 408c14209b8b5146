import CaretCore
import TestSupport

/// `caret-bench core`: the shared core, with one table for each subject.
struct CoreBenchmarks {
    static let measure =
        "Times are the CPU time of the measuring thread in its best round. Ratios are between times of the same run."

    let rounds: Int

    func run() {
        TextBenchmarks(rounds: rounds).run()
        DiffBenchmarks(rounds: rounds).run()
        ChangeBenchmarks(rounds: rounds).run()
    }
}
