// Both: a type of the C library belongs to whichever of them the compiler has met first.
import CLinux
import Glibc

/// A clock of the system.
struct SystemClock: Sendable {
    let id: clockid_t

    /// The wall's, since 1970.
    static let wall = SystemClock(id: CLOCK_REALTIME)
    /// It only goes forward.
    static let steady = SystemClock(id: CLOCK_MONOTONIC)
    /// What this process has used of the processor.
    static let processor = SystemClock(id: CLOCK_PROCESS_CPUTIME_ID)

    /// Of a clock that only goes forward: one of the wall may be set to before 1970, or to where no 64 bits suffice.
    var nanoseconds: UInt64 {
        let time = time
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    var milliseconds: Int64 {
        let time = time
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private var time: timespec {
        var time = timespec()
        clock_gettime(id, &time)
        return time
    }
}
