import CLinux

/// A timer of the system. Its descriptor becomes readable when the timer expires.
struct Alarm {
    let descriptor: Int32
    /// The time for which the alarm is set; nil once that time has passed.
    private var moment: Moment?

    init() throws(SystemFault) {
        descriptor = caret_timer()
        if descriptor < 0 { throw SystemFault("timerfd_create") }
    }

    /// Sets the alarm, unless it is set for that time already. So moving a deadline to a later time costs no
    /// system call.
    mutating func set(for next: Moment, now: Moment) {
        if let moment, moment <= now { self.moment = nil }
        if next == moment { return }
        moment = next
        // Zero would switch the timer off.
        let code = caret_timer_set(descriptor, max(1, next.nanoseconds))
        precondition(code == 0, "a timer cannot be set to \(next): \(SystemFault("timerfd_settime"))")
    }
}
