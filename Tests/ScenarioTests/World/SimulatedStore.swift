import CaretCore
import CaretLog
import CaretRooms
import TestSupport

/// A call on its way to the store.
struct StoreJob {
    let number: Int
    let writes: Bool
    let server: ServerRun
    let run: () -> Void
}

/// An append whose connection to the store was lost. It may still commit, and has the lock of its document until
/// then.
struct UndecidedAppend {
    let number: Int
    let server: ServerRun
    /// Commits the append, or drops it.
    let decide: () -> Void
}

/// The simulated store: a model with delays and temporary faults.
///
/// Once a call has run, its data is on disk. A write is delayed before it runs, as by a sync. Then its answer
/// is delayed too.
struct SimulatedStore {
    var model = StoreModel(generation: 1)
    var generation: UInt64 = 1
    /// The model before the last append, for a fault that loses that append.
    var stateBeforeLastAppend: StoreModel?
    /// The copy of the store that the last `keeps` step made. A `putsBack` step restores it.
    var kept: StoreModel?
    /// When each temporary fault ends.
    var faultEnds: [StoreBehaviour: Int64] = [:]
    /// When the store last refused a call or left its outcome unknown.
    var lastFault = Int64.min
    /// The appends whose servers got no answer, and that the store has not decided yet.
    var undecided: [DocumentID: UndecidedAppend] = [:]
    /// The calls that have not run, by number.
    var pending: [Int: StoreJob] = [:]
    var lastCall = 0
    /// When the simulated writer will have run all its jobs.
    var writerFree: Int64 = 0
    var elsewhereSeq: Int64 = 0
    private let dice: Dice

    init(_ dice: Dice) { self.dice = dice }

    func has(_ behaviour: StoreBehaviour, at now: Int64) -> Bool {
        faultEnds[behaviour].map { now < $0 } ?? false
    }

    /// Drops all calls of a server process that ended. Some writes still reach the disk: returns a random
    /// count of them, the oldest first.
    mutating func forgetCalls(of server: ServerRun, at now: Int64) -> [StoreJob] {
        let dropped = pending.values.filter { $0.server === server }
        let writes = dropped.filter(\.writes).sorted { $0.number < $1.number }
        for job in dropped { pending[job.number] = nil }
        if pending.isEmpty { writerFree = now }
        if writes.isEmpty { return [] }
        return Array(writes.prefix(dice.roll(.loss, writes.count, at: now).peek(0...writes.count)))
    }
}
