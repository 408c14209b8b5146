import CLinux

/// A timer of the system. Its descriptor becomes readable when the time has come.
struct Alarm {
    let descriptor: Int32
    /// The time it is set to; nil after that.
    private var moment: Moment?

    init() throws(SystemFault) {
        descriptor = caret_timer()
        if descriptor < 0 { throw SystemFault("timerfd_create") }
    }

    /// Sets the alarm, unless it is set to that time already. So deadlines that move to later cost nothing.
    mutating func set(for next: Moment, now: Moment) {
        if let moment, moment <= now { self.moment = nil }
        if next == moment { return }
        moment = next
        // Zero would switch the timer off.
        let code = caret_timer_set(descriptor, max(1, next.nanoseconds))
        precondition(code == 0, "a timer does not take \(next): \(SystemFault("timerfd_settime"))")
    }
}
