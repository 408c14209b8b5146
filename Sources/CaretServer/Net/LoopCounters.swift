/// How a loop has used the system since it began: what its tests and benchmarks look at. What a server tells of itself
/// is counted by whoever stands behind the connections.
package struct LoopCounters: Equatable, Sendable {
    /// Connections that were taken over, and that ended.
    package var opened = 0
    package var closed = 0
    /// Connections that were closed at once since no descriptor was free for them.
    package var refused = 0
    package var bytesRead = 0
    package var bytesWritten = 0
    /// Calls that read, that wrote, and those that could write nothing or not all.
    package var reads = 0
    package var writes = 0
    package var blockedWrites = 0
    /// Rounds of events, and the events of all of them.
    package var turns = 0
    package var events = 0
    /// Jobs that others had it do.
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
