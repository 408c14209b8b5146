import CLinux

/// A timer of the system that makes its descriptor readable when a moment has come.
struct Alarm {
    let descriptor: Int32
    /// For when it is set; nil once that has passed.
    private var moment: Moment?

    init() throws(SystemFault) {
        descriptor = caret_timer()
        if descriptor < 0 { throw SystemFault("timerfd_create") }
    }

    /// Sets it, unless it is set for that moment already: as long as deadlines move to later, this costs nothing.
    mutating func set(for next: Moment, now: Moment) {
        if let moment, moment <= now { self.moment = nil }
        if next == moment { return }
        moment = next
        // Zero would be no moment, but never.
        let code = caret_timer_set(descriptor, max(1, next.nanoseconds))
        precondition(code == 0, "a timer does not take \(next): \(SystemFault("timerfd_settime"))")
    }
}
