import CaretLog

/// An append that waits for its turn.
struct AppendJob: Sendable {
    let append: Append
    let completion: @Sendable (AppendOutcome) -> Void
}
