import CaretLog

/// An append that waits for its turn.
struct AppendJob: Sendable {
    let append: Append
    /// Until when it is tried again because the row of its document was locked; nil before that.
    var retriedUntil: ContinuousClock.Instant?
    let completion: @Sendable (AppendOutcome) -> Void

    func retried() -> AppendJob {
        var job = self
        job.retriedUntil = retriedUntil ?? .now + LockPatience.most
        return job
    }
}
