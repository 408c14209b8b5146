package import CaretCore
package import CaretRooms
import Synchronization

/// Encodes long texts in the background, for answers that contain them. Any thread may call it.
///
/// Equal answers share the work: a version that is being encoded, or that some answer still holds, is not encoded
/// again. The texts take turns, one slice each, so that a long one delays no other for long. At most one thread works at
/// a time.
package final class TextEncoder: Sendable {
    package typealias Completion = @Sendable (EncodedText) -> Void

    private struct Job: Sendable {
        let version: TextVersion
        var forms: TextForms
    }

    private struct State {
        /// The texts that wait for their next slice, except the one that a thread works at.
        var jobs: [Job] = []
        var waiting: [TextVersion: [Completion]] = [:]
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

    private let state = Mutex(State())
    private let runInBackground: @Sendable (@escaping Platform.Block) -> Void

    /// The bytes of a slice. Encoding one takes about a millisecond.
    package static let slice = 256 << 10

    package init(_ runInBackground: @escaping @Sendable (@escaping Platform.Block) -> Void) {
        self.runInBackground = runInBackground
    }

    /// Encodes a text. `completion` is called on any thread, or before this method returns.
    package func encode(_ text: TextBuffer, _ version: TextVersion, then completion: @escaping Completion) {
        let (known, begins) = state.withLock { state -> (EncodedText?, Bool) in
            if let last = state.last, last.version == version, let text = last.text { return (text, false) }
            if state.waiting[version] == nil {
                state.jobs.append(Job(version: version, forms: TextForms(text, version.lineBreak)))
            }
            state.waiting[version, default: []].append(completion)
            defer { state.isWorking = true }
            return (nil, !state.isWorking)
        }
        if let known { completion(known) }
        if begins { runInBackground { self.work() } }
    }

    /// Encodes the next slice.
    private func work() {
        guard var job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return }
        job.forms.encode(TextEncoder.slice)
        let encoded = job.forms.isComplete ? job.forms.joined() : nil
        let (completions, goesOn) = state.withLock { [job] state -> ([Completion], Bool) in
            guard let encoded else {
                state.jobs.append(job)
                return ([], true)
            }
            state.last = LastText(job.version, encoded)
            state.isWorking = !state.jobs.isEmpty
            return (state.waiting.removeValue(forKey: job.version) ?? [], state.isWorking)
        }
        if let encoded { for completion in completions { completion(encoded) } }
        if goesOn { runInBackground { self.work() } }
    }
}
