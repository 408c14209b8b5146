@preconcurrency import Dispatch

/// Runs blocks one at a time, in the order of enqueuing. Either a dispatch queue, or a queue that the
/// simulation runs step by step.
package protocol WorkQueue: AnyObject, Sendable {
    func enqueue(_ block: @escaping @Sendable () -> Void)

    /// Makes an alarm that calls `passed` on this queue.
    func makeAlarm(_ passed: @escaping @Sendable () -> Void) -> any QueueAlarm
}

/// Calls a closure at a given time.
package protocol QueueAlarm: AnyObject {
    /// Sets the time of the next call; nil for never. It replaces the time that was set before.
    func set(for moment: Moment?)
    /// Cancels the alarm for good.
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
        // `Moment` and `DispatchTime` count from the same start.
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: max(1, moment.nanoseconds)))
    }

    func cancel() { source.cancel() }
}
