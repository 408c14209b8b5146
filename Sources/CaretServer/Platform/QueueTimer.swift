/// An alarm that is set only when its moment changes. Confined to its owner.
final class QueueTimer {
    private let alarm: any QueueAlarm
    /// For when it is set.
    private var due: Moment?

    init(on queue: any WorkQueue, _ passed: @escaping @Sendable () -> Void) {
        alarm = queue.makeAlarm(passed)
    }

    deinit { alarm.cancel() }

    /// Nil for never. For a moment that has come it calls back at once.
    func set(for moment: Moment?) {
        if moment == due { return }
        due = moment
        alarm.set(for: moment)
    }

    /// It has called back, and is set for nothing.
    func passed() { due = nil }
}
