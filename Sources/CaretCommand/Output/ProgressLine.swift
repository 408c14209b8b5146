import Synchronization

/// How far something has come, on one line of a terminal that is written again and again; elsewhere nothing.
final class ProgressLine: Sendable {
    private let notes: Output
    private let isShown: Bool
    private let last = Mutex<ContinuousClock.Instant?>(nil)
    private let began = ContinuousClock.now

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

    /// Tells how much of how much is done, in percent too, and how long the rest takes.
    func show(_ done: Int, of all: Int, _ noun: String, _ more: String? = nil) {
        let parts = [
            "\(done) of \(all.counting(noun))", more, Progress(done, of: all).words(after: .now - began),
        ]
        show(parts.compactMap(\.self).joined(separator: ", "))
    }

    /// The same where what is counted says nothing to a person.
    func show(_ text: String, _ progress: Progress) {
        show([text, progress.words(after: .now - began)].compactMap(\.self).joined(separator: ", "))
    }

    /// Takes the line away.
    func end() {
        if !isShown { return }
        notes.write("\r\u{1B}[K")
        _ = notes.flush()
    }
}
