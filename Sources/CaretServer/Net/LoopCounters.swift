/// How a loop has used the system since it started, for tests and benchmarks. The counters that
/// administrators see are kept by the connection handlers.
package struct LoopCounters: Equatable, Sendable {
    /// Connections that were accepted, and that ended.
    package var opened = 0
    package var closed = 0
    /// Connections that were closed at once because no descriptor was free.
    package var refused = 0
    package var bytesRead = 0
    package var bytesWritten = 0
    /// Calls that read, calls that wrote, and calls that wrote nothing or not all.
    package var reads = 0
    package var writes = 0
    package var blockedWrites = 0
    /// Calls to wait for events, and the events that they returned.
    package var turns = 0
    package var events = 0
    /// Jobs that other threads posted.
    package var jobs = 0

    package init() {}

    package static func + (left: LoopCounters, right: LoopCounters) -> LoopCounters {
        var sum = left
        sum.opened += right.opened
        sum.closed += right.closed
        sum.refused += right.refused
        sum.bytesRead += right.bytesRead
        sum.bytesWritten += right.bytesWritten
        sum.reads += right.reads
        sum.writes += right.writes
        sum.blockedWrites += right.blockedWrites
        sum.turns += right.turns
        sum.events += right.events
        sum.jobs += right.jobs
        return sum
    }
}
