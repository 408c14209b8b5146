package import CaretConfig
package import CaretCore
package import CaretRooms
import Synchronization

/// Encodes long texts in the background, for answers that contain them. Any thread may call it.
///
/// Equal answers share the work: a version that is being encoded, or that some answer still holds, is not encoded
/// again. The texts take turns, one slice each, so that a long one delays no other for long. At most one thread works at
/// a time.
///
/// While the budget for output is used up, no further text is begun. The texts wait in the order of their requests. Only
/// some may wait that nobody else holds, because waiting texts take memory too.
package final class TextEncoder: Sendable {
    package typealias Completion = @Sendable (EncodedText) -> Void

    private struct Job: Sendable {
        let version: TextVersion
        var forms: TextForms
    }

    private struct State {
        /// The texts that were begun and wait for their next slice, except the one that a thread works at.
        var jobs: [Job] = []
        /// The texts that were not begun.
        var later: [Job] = []
        var waiting: [TextVersion: [Completion]] = [:]
        /// Whether a thread works, will work, or is called once the budget has room.
        var isWorking = false
        var last: LastText?
    }

    /// The text that was encoded last, as long as an answer with it is made or waits to be sent.
    private struct LastText: Sendable {
        let version: TextVersion
        private weak let utf8: Payload?
        private weak let kept: Payload?
        private weak let escaped: Payload?

        init(_ version: TextVersion, _ text: EncodedText) {
            self.version = version
            (utf8, kept, escaped) = (text.utf8, text.kept, text.escaped)
        }

        var text: EncodedText? {
            guard let utf8, let kept, let escaped else { return nil }
            return EncodedText(utf8: utf8, kept: kept, escaped: escaped)
        }
    }

    private enum Reception {
        case known(EncodedText)
        case begins
        case waits
        case refused
    }

    private let state = Mutex(State())
    private let budget: OutputBudget
    private let runInBackground: @Sendable (@escaping Platform.Block) -> Void
    private let counters: Mutex<LocalCounters>

    /// The bytes of a slice. Encoding one takes about a millisecond.
    package static let slice = 256 << 10

    package init(
        _ budget: OutputBudget, _ counters: sending LocalCounters,
        _ runInBackground: @escaping @Sendable (@escaping Platform.Block) -> Void
    ) {
        self.budget = budget
        self.counters = Mutex(counters)
        self.runInBackground = runInBackground
    }

    /// How many texts may wait for room in the budget before `encode` refuses one that was read for its answer alone.
    package static let mostWaiting = 16

    /// Encodes a text. `completion` is called on any thread, or before this method returns.
    ///
    /// Returns false, and never calls it, if the budget is used up and `most` texts wait already.
    @discardableResult
    package func encode(
        _ text: TextBuffer, _ version: TextVersion, behindAtMost most: Int = .max,
        then completion: @escaping Completion
    ) -> Bool {
        let reception = state.withLock { state -> Reception in
            if let last = state.last, last.version == version, let text = last.text { return .known(text) }
            if state.waiting[version] == nil {
                if state.later.count >= most, budget.isUsedUp { return .refused }
                state.later.append(Job(version: version, forms: TextForms(text, version.lineBreak)))
            }
            state.waiting[version, default: []].append(completion)
            defer { state.isWorking = true }
            return state.isWorking ? .waits : .begins
        }
        switch reception {
        case .known(let text): completion(text)
        case .begins: goOn()
        case .waits: break
        case .refused: return false
        }
        return true
    }

    private func goOn() { runInBackground { self.work() } }

    /// Encodes the next slice.
    private func work() {
        guard var job = next() else {
            counters.withLock { $0.add(to: .waitsForOutput) }
            return budget.whenRoom { self.goOn() }
        }
        job.forms.encode(TextEncoder.slice)
        if job.forms.isComplete {
            complete(job)
        } else {
            state.withLock { [job] in $0.jobs.append(job) }
        }
        let goesOn = state.withLock { state in
            state.isWorking = !state.jobs.isEmpty || !state.later.isEmpty
            return state.isWorking
        }
        if goesOn { goOn() }
    }

    /// The text whose turn it is; nil if all of them wait for room. A text that is begun reserves what it will need at
    /// most.
    private func next() -> Job? {
        state.withLock { state in
            if !state.later.isEmpty, !budget.isUsedUp {
                let job = state.later.removeFirst()
                budget.added(job.forms.mostBytes)
                return job
            }
            return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
        }
    }

    private func complete(_ job: Job) {
        let encoded = job.forms.joined(meter: budget)
        let completions = state.withLock { state in
            state.last = LastText(job.version, encoded)
            return state.waiting.removeValue(forKey: job.version) ?? []
        }
        budget.removed(job.forms.mostBytes)
        for completion in completions { completion(encoded) }
    }
}
