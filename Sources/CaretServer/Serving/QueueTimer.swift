@preconcurrency import Dispatch

/// Calls back on its queue once a moment has come. Confined to whoever sets it.
final class QueueTimer {
    private let source: any DispatchSourceTimer
    /// For when it is set.
    private var due: Moment?

    init(on queue: DispatchQueue, _ passed: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: passed)
        source.activate()
    }

    deinit { source.cancel() }

    /// Nil for never. A moment that has come is told at once.
    func set(for moment: Moment?) {
        if moment == due { return }
        due = moment
        guard let moment else { return source.schedule(deadline: .distantFuture) }
        // Both count from the same beginning.
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: max(1, moment.nanoseconds)))
    }

    /// It has called back, and is set for nothing.
    func passed() { due = nil }
}
