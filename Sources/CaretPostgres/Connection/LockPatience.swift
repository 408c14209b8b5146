@preconcurrency import Dispatch

/// How long a call waits for a lock that somebody else holds: another server, or an operator in `psql`.
///
/// A statement waits at most 200 ms, because other calls wait behind it. After that the call is tried again, while the
/// others go on.
enum LockPatience {
    static let most = Duration.seconds(5)
    static let pause = DispatchTimeInterval.milliseconds(50)
}
