/// An alarm on a queue. The system call to set it is made only if the time changes. Confined to its owner's
/// queue.
final class QueueTimer {
    private let alarm: any QueueAlarm
    /// The time for which the alarm is set.
    private var due: Moment?

    init(on queue: any WorkQueue, _ passed: @escaping @Sendable () -> Void) {
        alarm = queue.makeAlarm(passed)
    }

    deinit { alarm.cancel() }

    /// Sets the time of the next call. Nil means never. If the time has passed already, the alarm fires at
    /// once.
    func set(for moment: Moment?) {
        if moment == due { return }
        due = moment
        alarm.set(for: moment)
    }

    /// The owner reports that the alarm has fired, so it is no longer set.
    func passed() { due = nil }
}
