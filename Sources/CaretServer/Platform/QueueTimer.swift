/// An alarm that is set only when its time changes. Confined to its owner.
final class QueueTimer {
    private let alarm: any QueueAlarm
    /// The time it is set to.
    private var due: Moment?

    init(on queue: any WorkQueue, _ passed: @escaping @Sendable () -> Void) {
        alarm = queue.makeAlarm(passed)
    }

    deinit { alarm.cancel() }

    /// Nil for never. If the time has come already, it calls back at once.
    func set(for moment: Moment?) {
        if moment == due { return }
        due = moment
        alarm.set(for: moment)
    }

    /// It has called back, and is not set any more.
    func passed() { due = nil }
}
