// Both modules are imported, because both declare the C types that this file uses, and the compiler assigns a
// C type to the first module that declares it.
import CLinux
import Glibc

/// A clock of the system.
struct SystemClock: Sendable {
    let id: clockid_t

    /// The wall clock. It counts from 1970.
    static let wall = SystemClock(id: CLOCK_REALTIME)
    /// A clock that never goes back.
    static let steady = SystemClock(id: CLOCK_MONOTONIC)
    /// The CPU time of this process.
    static let processor = SystemClock(id: CLOCK_PROCESS_CPUTIME_ID)

    /// Call it only on a clock that never goes back. A wall clock may be before 1970, or too late for 64
    /// bits.
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
