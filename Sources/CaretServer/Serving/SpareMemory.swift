/// Decides when to return freed memory to the system.
///
/// The C library keeps freed memory for later allocations, in a heap for each of several threads, and returns
/// little of it by itself. Returning it takes time, and so does getting it again. So it is returned when the
/// process is idle, or after a long wait. A value, updated now and then with the state of the process.
package struct SpareMemory: Sendable {
    /// The state of the process at one time.
    package struct Look: Sendable {
        /// Bytes that the process has from the system but does not use.
        let spare: Int
        /// The CPU time since its start, in nanoseconds.
        let used: UInt64
        let time: Moment

        package init(spare: Int, used: UInt64, time: Moment) {
            self.spare = spare
            self.used = used
            self.time = time
        }
    }

    /// Bytes. Returning less is not worthwhile.
    static let leastGrowth = 1 << 20
    /// Returning less than this fraction of what could not be returned before is not worthwhile either.
    static let growthPart = 16
    /// The process is idle if it uses less than this fraction of one core.
    static let restingPart: UInt64 = 20
    /// Seconds. A process that is never idle returns memory after this time too, because it takes only
    /// milliseconds.
    static let longestWait = 300

    /// The least unused memory since memory was last returned. It is fragmented, and cannot be returned.
    private var least: Int
    private var last: Look
    /// Since when there is memory to return.
    private var dueSince: Moment?

    package init(_ first: Look) {
        least = first.spare
        last = first
    }

    /// Whether to return memory now. The caller then reports to `gaveBack` what is left.
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
