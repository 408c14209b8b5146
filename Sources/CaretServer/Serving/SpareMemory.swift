/// Decides when to return freed memory to the system.
///
/// The C library keeps freed memory in several heaps for later allocations, and returns little of it by
/// itself. Returning memory takes time, and so does reserving it again. So memory is returned when the
/// process is idle, or after a long wait. The caller reports measurements of the process at regular
/// intervals.
package struct SpareMemory: Sendable {
    /// A measurement of the process.
    package struct Look: Sendable {
        /// Bytes that the process has reserved but does not use.
        let spare: Int
        /// The CPU time since the start of the process, in nanoseconds.
        let used: UInt64
        let time: Moment

        package init(spare: Int, used: UInt64, time: Moment) {
            self.spare = spare
            self.used = used
            self.time = time
        }
    }

    /// The least growth of unused memory, in bytes, after which memory is returned.
    static let leastGrowth = 1 << 20
    /// If much memory could not be returned the last time, the growth must also be at least this fraction of
    /// it.
    static let growthPart = 16
    /// The process is idle if it uses less than this fraction of one core.
    static let restingPart: UInt64 = 20
    /// Seconds after which even a busy process returns memory. Returning it takes only milliseconds.
    static let longestWait = 300

    /// The least amount of unused memory since memory was last returned. This amount is fragmented, and
    /// cannot be returned.
    private var least: Int
    private var last: Look
    /// The time since which there is enough memory to return; nil if there is not enough.
    private var dueSince: Moment?

    package init(_ first: Look) {
        least = first.spare
        last = first
    }

    /// Evaluates a measurement. Returns true if the caller must return memory now. The caller then passes the
    /// remaining unused bytes to `gaveBack`.
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
