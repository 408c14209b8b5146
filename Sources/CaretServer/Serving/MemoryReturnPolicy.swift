/// Decides when to return freed memory to the system.
///
/// The C library keeps freed memory in several heaps for later allocations, and returns little of it by
/// itself. Returning memory takes time, and so does reserving it again. So memory is returned when the
/// process is idle, or after a long wait. The caller reports measurements of the process at regular
/// intervals.
package struct MemoryReturnPolicy: Sendable {
    /// A measurement of the process.
    package struct Measurement: Sendable {
        /// Bytes that the process has reserved but does not use.
        let unusedBytes: Int
        /// The CPU time since the start of the process, in nanoseconds.
        let cpuNanoseconds: UInt64
        let time: Moment

        package init(unusedBytes: Int, cpuNanoseconds: UInt64, time: Moment) {
            self.unusedBytes = unusedBytes
            self.cpuNanoseconds = cpuNanoseconds
            self.time = time
        }
    }

    /// The least growth of unused memory, in bytes, after which memory is returned.
    static let leastGrowth = 1 << 20
    /// If much memory could not be returned the last time, the growth must also be at least that amount
    /// divided by this number.
    static let growthDivisor = 16
    /// The process is idle if it uses less CPU time than one core provides, divided by this number.
    static let idleDivisor: UInt64 = 20
    /// Seconds after which even a busy process returns memory. Returning it takes only milliseconds.
    static let longestWait = 300

    /// The least amount of unused memory since memory was last returned. This amount is fragmented, and
    /// cannot be returned. Zero before the first return: the first measurement may already follow a load.
    private var least = 0
    private var last: Measurement
    /// The time since which there is enough memory to return; nil if there is not enough.
    private var dueSince: Moment?

    package init(_ first: Measurement) {
        last = first
    }

    /// Evaluates a measurement. Returns true if the caller must return memory now. The caller then passes the
    /// remaining unused bytes to `memoryReturned`.
    package mutating func mustReturnMemory(_ measurement: Measurement) -> Bool {
        let passed = measurement.time.nanoseconds - last.time.nanoseconds
        let cpuUsed = measurement.cpuNanoseconds - last.cpuNanoseconds
        let isIdle = cpuUsed * MemoryReturnPolicy.idleDivisor < passed
        last = measurement
        least = min(least, measurement.unusedBytes)
        let growth = max(MemoryReturnPolicy.leastGrowth, least / MemoryReturnPolicy.growthDivisor)
        if measurement.unusedBytes < least + growth {
            dueSince = nil
            return false
        }
        let since = dueSince ?? measurement.time
        dueSince = since
        return isIdle || measurement.time >= since.after(seconds: MemoryReturnPolicy.longestWait)
    }

    /// Call this after memory was returned, with the number of unused bytes that remain.
    package mutating func memoryReturned(leaving unusedBytes: Int) {
        least = unusedBytes
        dueSince = nil
    }
}
