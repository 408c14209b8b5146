/// How long a call waits for a lock that somebody else holds: another server, or an operator in `psql`.
///
/// A statement waits at most 200 ms, because other calls wait behind it. After that the call is tried again, while the
/// others go on.
enum LockPatience {
    static let most = Duration.seconds(5)
    /// The time until a call is tried again, in milliseconds.
    static let pause = 50

    /// Whether a call with this result is tried again.
    static func isTriedAgain<Answer>(
        _ result: Result<Answer, PostgresFault>, until end: ContinuousClock.Instant
    ) -> Bool {
        if case .failure(.server(let error)) = result { error.isLocked && .now < end } else { false }
    }
}
