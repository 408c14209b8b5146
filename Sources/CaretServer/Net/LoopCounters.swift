/// How many system calls and events a loop has had since it started, for tests and benchmarks. Administrators
/// see other counters, which the connection handlers count.
package struct LoopCounters: Equatable, Sendable {
    /// Accepted connections, and ended connections.
    package var opened = 0
    package var closed = 0
    /// Connections that were closed at once because no descriptor or memory was free.
    package var refused = 0
    package var bytesRead = 0
    package var bytesWritten = 0
    /// Read calls, write calls, and write calls that could not write all bytes.
    package var reads = 0
    package var writes = 0
    package var blockedWrites = 0
    /// Calls that waited for events, and the events that these calls returned.
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
