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

/// The store: a model of it behind calls that take their time, and what is wrong with it for now.
///
/// What has run is on disk: a write waits in front of that moment, as behind a sync, and its answer behind it.
struct SimStore {
    var model = StoreModel(generation: 1)
    var generation: UInt64 = 1
    /// As it was in front of the last append, where that is to be lost.
    var beforeLast: StoreModel?
    /// As it was kept last, to be put back.
    var kept: StoreModel?
    /// Until when the store is so.
    var weather: [Weather: Int64] = [:]
    /// When it refused a call last, or left open what became of it.
    var lastTrouble = Int64.min
    /// Calls that have not run, in their order.
    var pending: [Int: StoreJob] = [:]
    var lastCall = 0
    /// When the writer is done with what it has.
    var writerFree: Int64 = 0
    var elsewhereSeq: Int64 = 0
    private let dice: Dice

    init(_ dice: Dice) { self.dice = dice }

    func isSo(_ weather: Weather, at now: Int64) -> Bool { self.weather[weather].map { now < $0 } ?? false }

    /// The process ended: of its writes the first ones may have reached the disk, which are the answer, and nobody is
    /// answered.
    mutating func forgetCalls(at now: Int64) -> [StoreJob] {
        let writes = pending.values.filter(\.writes).sorted { $0.number < $1.number }
        pending = [:]
        writerFree = now
        if writes.isEmpty { return [] }
        return Array(writes.prefix(dice.roll(.loss, writes.count, at: now).peek(0...writes.count)))
    }
}
