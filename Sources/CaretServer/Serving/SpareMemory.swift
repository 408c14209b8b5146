/// Decides when the memory that was freed is given back to the system.
///
/// The C library keeps what was freed for whoever asks next, in a heap for each of several threads, and returns little of
/// it by itself. To return it takes time, and so does getting it again: so it is returned when the process rests, or
/// where that has been waited for long. A value, which is told now and then what the process has.
package struct SpareMemory: Sendable {
    /// What the process has at a moment.
    package struct Look: Sendable {
        /// Bytes of memory that are nobody's: it has them from the system, and nobody in it.
        let spare: Int
        /// CPU time that it has used since its start, in nanoseconds.
        let used: UInt64
        let time: Moment

        package init(spare: Int, used: UInt64, time: Moment) {
            self.spare = spare
            self.used = used
            self.time = time
        }
    }

    /// Bytes: less is not worth it.
    static let leastGrowth = 1 << 20
    /// Nor is less than this part of what could not be given back before.
    static let growthPart = 16
    /// It rests where it uses less than this part of one core.
    static let restingPart: UInt64 = 20
    /// Seconds: one that never rests gives memory back all the same, since that takes milliseconds.
    static let longestWait = 300

    /// The least that was nobody's since memory was given back last: what lies between pieces that are somebody's stays.
    private var least: Int
    private var last: Look
    /// Since when there is something to give back.
    private var dueSince: Moment?

    package init(_ first: Look) {
        least = first.spare
        last = first
    }

    /// Whether memory is to be given back now. Then `gaveBack` is told what is left.
    package mutating func looked(_ look: Look) -> Bool {
        let passed = look.time.nanoseconds - last.time.nanoseconds
        let rests = (look.used - last.used) * SpareMemory.restingPart < passed
        last = look
        least = min(least, look.spare)
        let growth = max(SpareMemory.leastGrowth, least / SpareMemory.growthPart)
        if look.spare < least + growth {
            dueSince = nil
            return false
        }
        let since = dueSince ?? look.time
        dueSince = since
        return rests || look.time >= since.after(seconds: SpareMemory.longestWait)
    }

    package mutating func gaveBack(leaving spare: Int) {
        least = spare
        dueSince = nil
    }
}
