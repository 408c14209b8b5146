import CaretStore
import Glibc
import Synchronization

/// The turns of a store's writer, recorded from the store's events. All events come on the writer's thread.
final class WriterTurns: Sendable {
    enum Kind: CaseIterable {
        case plain
        case merge
        case snapshot

        var name: String {
            switch self {
            case .plain: "only calls"
            case .merge: "with merges"
            case .snapshot: "with snapshots"
            }
        }
    }

    struct Turn {
        var kind = Kind.plain
        var calls = 0
        /// How many of the turn's calls the store made for its own upkeep.
        var upkeep = 0
        var merges = 0
        /// In nanoseconds: the time inside the transaction, its CPU time, and the commit with its sync.
        var work = 0.0
        var processing = 0.0
        var commit = 0.0
        /// The CPU time in which the writer merged segments.
        var merging = 0.0

        var appends: Int { calls - upkeep }
    }

    private struct State {
        var turns: [Turn] = []
        var checkpoints: [Double] = []
        var turn = Turn()
        /// When the current transaction, commit or checkpoint began.
        var moment = 0.0
        var processed = 0.0
        var merging = 0.0
    }

    private let state = Mutex(State())

    func record(_ event: StoreEvent) {
        let (now, processed) = (wallNanoseconds(), threadNanoseconds())
        state.withLock { state in
            switch event {
            case .writing(let calls):
                state.turn = Turn(calls: calls)
                state.moment = now
                state.processed = processed
            case .merging:
                state.turn.kind = .merge
                state.turn.merges += 1
                state.turn.upkeep += 1
                state.merging = processed
            case .merged: state.turn.merging += processed - state.merging
            case .snapshotting:
                if state.turn.merges == 0 { state.turn.kind = .snapshot }
                state.turn.upkeep += 1
            case .committing:
                state.turn.work = now - state.moment
                state.turn.processing = processed - state.processed
                state.moment = now
            case .committed:
                state.turn.commit = now - state.moment
                state.turns.append(state.turn)
            case .checkpointing: state.moment = now
            case .checkpointed: state.checkpoints.append(now - state.moment)
            case .diskFull, .checkpointDiskFull, .diskFailed, .filesLost, .damaged,
                .damagedRow, .namesRebuilt,
                .clockIsBehind:
                preconditionFailure("the store reported a failure: \(event)")
            case .renewed, .migrating, .trimmed, .redacted, .erasing, .emptyingLog, .erased, .purged,
                .pushersForgotten:
                break
            }
        }
    }

    var count: Int { state.withLock { $0.turns.count } }

    /// The turns from this index on.
    func turns(from start: Int) -> [Turn] { state.withLock { Array($0.turns[start...]) } }

    /// Adds a row for each kind of turn, and a row for the checkpoints. `headings` has the titles of the
    /// table.
    func rows(in table: inout Table, named name: String) {
        let (turns, checkpoints) = state.withLock { ($0.turns, $0.checkpoints) }
        for kind in Kind.allCases {
            let those = turns.filter { $0.kind == kind }
            if those.isEmpty { continue }
            let work = those.map(\.work)
            table.row(
                [name, kind.name, String(those.count)]
                    + [work, those.map(\.processing), those.map(\.commit)].flatMap(WriterTurns.cells))
        }
        let merging = turns.map(\.merging).filter { $0 > 0 }
        if !merging.isEmpty {
            table.row(
                [name, "merges alone", String(merging.count), "", "", ""] + WriterTurns.cells(merging)
                    + ["", "", ""])
        }
        if checkpoints.isEmpty { return }
        table.row(
            [name, "checkpoints", String(checkpoints.count)] + WriterTurns.cells(checkpoints)
                + Array(repeating: "", count: 6))
    }

    static let headings =
        ["", "the writer's turns", "count"]
        + ["work", "CPU", "commit"].flatMap { [$0 + " p50", "p99", "max"] }

    private static func cells(_ times: [Double]) -> [String] {
        [times.median, times.percentile(99), times.max() ?? 0].map(\.time)
    }
}
