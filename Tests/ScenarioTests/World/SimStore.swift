import CaretCore
import CaretLog
import CaretRooms
import TestSupport

/// A call on its way to the store.
struct StoreJob {
    let number: Int
    let writes: Bool
    let run: () -> Void
}

/// The store: a model of it, with delays and with the faults of the moment.
///
/// A call that has run is on disk. A write is delayed before it runs, as by a sync, and its answer is delayed
/// after that.
struct SimStore {
    var model = StoreModel(generation: 1)
    var generation: UInt64 = 1
    /// The model before the last append, for a fault that loses that append.
    var beforeLast: StoreModel?
    /// The last kept copy, for a later restore.
    var kept: StoreModel?
    /// The end of each weather.
    var weather: [Weather: Int64] = [:]
    /// When the store last refused a call or left its outcome unknown.
    var lastTrouble = Int64.min
    /// The calls that have not run, by number.
    var pending: [Int: StoreJob] = [:]
    var lastCall = 0
    /// When the writer will have run all its jobs.
    var writerFree: Int64 = 0
    var elsewhereSeq: Int64 = 0
    private let dice: Dice

    init(_ dice: Dice) { self.dice = dice }

    func isSo(_ weather: Weather, at now: Int64) -> Bool { self.weather[weather].map { now < $0 } ?? false }

    /// The server process ended, so it gets no more answers. Returns the first writes, a random number of
    /// them: these reached the disk.
    mutating func forgetCalls(at now: Int64) -> [StoreJob] {
        let writes = pending.values.filter(\.writes).sorted { $0.number < $1.number }
        pending = [:]
        writerFree = now
        if writes.isEmpty { return [] }
        return Array(writes.prefix(dice.roll(.loss, writes.count, at: now).peek(0...writes.count)))
    }
}
