/// A time of a clock that never goes back, in nanoseconds since an arbitrary start.
package struct Moment: Hashable, Comparable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The current time of the system's clock.
    package static var now: Moment { Moment(nanoseconds: SystemClock.steady.nanoseconds) }

    package func after(seconds: Int) -> Moment { after(milliseconds: seconds * 1_000) }

    package func after(milliseconds: Int) -> Moment {
        Moment(nanoseconds: nanoseconds + UInt64(milliseconds) * 1_000_000)
    }

    package func after(microseconds: Int) -> Moment {
        Moment(nanoseconds: nanoseconds + UInt64(microseconds) * 1_000)
    }

    package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }
}
