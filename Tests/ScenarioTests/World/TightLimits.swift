import CaretWire
import TestSupport

extension Limits {
    /// Limits so small that runs reach all of them, different for each seed.
    static func tight(_ seed: UInt64) -> Limits {
        var random = Seeded(seed ^ 0x71CE)
        var limits = Limits()
        limits.announced.line = 40_000
        limits.announced.document = random.pick([1_500, 4_000, 4_000])
        limits.announced.edits = random.pick([6, 50])
        limits.announced.documents = random.pick([4, 256])
        limits.announced.selections = random.pick([2, 20])
        limits.announced.pushesPerSecond = random.pick([nil, nil, nil, 40])
        (limits.helloSeconds, limits.pingSeconds, limits.lineSeconds) = (2, 3, 4)
        (limits.outputTimeoutSeconds, limits.closingSeconds) = (4, 1)
        limits.freeLine = random.pick([512, 4_096])
        limits.lineBudget = random.pick([8_192, 65_536])
        limits.waitingOutput = random.pick([2_000, 20_000])
        limits.waitingLines = random.pick([2, 8])
        limits.waitingLineBytes = 4_000
        limits.rebase = random.pick([60, 2_000, 100_000])
        limits.roomSelections = 40
        limits.windowBytes = random.pick([1, 7_000, 20_000, 100_000])
        limits.creditBytes = random.pick([1, 300, 2_000, 100_000])
        limits.sessionBehind = random.pick([2, 10, 5_000])
        limits.segmentChanges = random.pick([1, 3, 16])
        (limits.checkDelayMilliseconds, limits.retryMilliseconds) = (random.pick([60, 400]), 80)
        limits.idleRoomSeconds = random.pick([0, 0, 1])
        limits.peerMilliseconds = random.pick([5, 50])
        limits.documentMilliseconds = 100
        limits.page = random.pick([600, 20_000])
        limits.textEncodedAtOnce = random.pick([0, 200, 64 << 10])
        limits.windowBudget = random.pick([10_000, 40_000, 1 << 20])
        return limits
    }
}
