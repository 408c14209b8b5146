import Synchronization

/// Shows progress on one line of a terminal, which it overwrites. Prints nothing elsewhere.
final class ProgressLine: Sendable {
    private let notes: Output
    private let isShown: Bool
    private let last = Mutex<ContinuousClock.Instant?>(nil)
    private let began = ContinuousClock.now

    /// The shortest time between two updates. A user would not notice more frequent updates.
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
        // A lost progress line does no harm.
        _ = notes.flush()
    }

    /// Shows the counts, the percentage and the remaining time.
    func show(_ done: Int, of all: Int, _ noun: String, _ more: String? = nil) {
        let parts = [
            "\(done) of \(all.counting(noun))", more, Progress(done, of: all).words(after: .now - began),
        ]
        show(parts.compactMap(\.self).joined(separator: ", "))
    }

    /// Shows a text with the percentage and the remaining time, but without the counts.
    func show(_ text: String, _ progress: Progress) {
        show([text, progress.words(after: .now - began)].compactMap(\.self).joined(separator: ", "))
    }

    /// Clears the line.
    func end() {
        if !isShown { return }
        notes.write("\r\u{1B}[K")
        _ = notes.flush()
    }
}
