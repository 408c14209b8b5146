// Both modules are imported, because both declare the C types that this file uses, and the compiler assigns a
// C type to the first module that declares it.
import CLinux
import Glibc

/// A clock of the system that never goes back.
struct SystemClock: Sendable {
    let id: clockid_t

    static let steady = SystemClock(id: CLOCK_MONOTONIC)
    /// The CPU time of this process.
    static let processor = SystemClock(id: CLOCK_PROCESS_CPUTIME_ID)

    var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(id, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
