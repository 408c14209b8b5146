// Both: a type of the C library belongs to whichever of them the compiler has met first.
import CLinux
import Glibc

/// A clock of the system.
struct SystemClock {
    let id: clockid_t

    /// The wall's, since 1970.
    static let wall = SystemClock(id: CLOCK_REALTIME)
    /// It only goes forward.
    static let steady = SystemClock(id: CLOCK_MONOTONIC)
    /// What this process has used of the processor.
    static let processor = SystemClock(id: CLOCK_PROCESS_CPUTIME_ID)

    var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(id, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
