/// How long a call waits for a lock that somebody else holds: another server, or an operator in `psql`.
///
/// Other calls of a connection wait behind a statement that waits for a lock. So a call is tried again later, while the
/// others go on.
enum LockPatience {
    /// How long one statement waits, in milliseconds.
    static let statement = 200
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
