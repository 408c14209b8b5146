import Synchronization

/// How far something has come, on one line of a terminal that is written again and again; elsewhere nothing.
final class ProgressLine: Sendable {
    private let notes: Output
    private let isShown: Bool
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// A person sees no more changes than that.
    private static let pause = Duration.milliseconds(100)

    init(_ notes: Output) {
        self.notes = notes
        isShown = notes.isTerminal
    }

    func show(_ text: String) {
        if !isShown { return }
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let last, now - last < ProgressLine.pause { return false }
            last = now
            return true
        }
        if !isDue { return }
        notes.write("\r\u{1B}[K" + text)
        // Nobody misses what does not come out.
        _ = notes.flush()
    }

    /// Takes the line away.
    func end() {
        if !isShown { return }
        notes.write("\r\u{1B}[K")
        _ = notes.flush()
    }
}
