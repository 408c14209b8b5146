@preconcurrency import Dispatch

/// Runs blocks one at a time, in the order in which they come. Either a dispatch queue, or a queue that the
/// simulation runs step by step.
package protocol WorkQueue: AnyObject, Sendable {
    func enqueue(_ block: @escaping @Sendable () -> Void)

    /// Makes an alarm that calls back on this queue.
    func makeAlarm(_ passed: @escaping @Sendable () -> Void) -> any QueueAlarm
}

/// Calls back when its time has come.
package protocol QueueAlarm: AnyObject {
    /// Nil for never. Only the time that was set last counts.
    func set(for moment: Moment?)
    /// Stops calling back.
    func cancel()
}

extension DispatchQueue: WorkQueue {
    package func enqueue(_ block: @escaping @Sendable () -> Void) { async(execute: block) }

    package func makeAlarm(_ passed: @escaping @Sendable () -> Void) -> any QueueAlarm {
        DispatchAlarm(on: self, passed)
    }
}

private final class DispatchAlarm: QueueAlarm {
    private let source: any DispatchSourceTimer

    init(on queue: DispatchQueue, _ passed: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: passed)
        source.activate()
    }

    func set(for moment: Moment?) {
        guard let moment else { return source.schedule(deadline: .distantFuture) }
        // Both clocks have the same start.
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: max(1, moment.nanoseconds)))
    }

    func cancel() { source.cancel() }
}
