package import CaretCore
package import CaretRooms
import CaretWire
import Synchronization

/// Encodes long texts in the background, for the answers to reads. Any thread may call it.
///
/// Equal reads share the work: a version that is being encoded, or was encoded last, is not encoded again. The texts
/// take turns, one slice each, so that a long one delays no other for long. At most one thread works at a time.
package final class TextEncoder: Sendable {
    package typealias Completion = @Sendable (EncodedText) -> Void

    private struct Job: Sendable {
        let version: TextVersion
        let text: TextBuffer
        var utf8: [UInt8] = []
        var writer = JSONWriter()
    }

    private struct State {
        /// The texts that wait for their next slice, except the one that a thread works at.
        var jobs: [Job] = []
        var waiting: [TextVersion: [Completion]] = [:]
        var isWorking = false
        var last: (version: TextVersion, text: EncodedText)?
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
            if let last = state.last, last.version == version { return (last.text, false) }
            if state.waiting[version] == nil { state.jobs.append(Job(version: version, text: text)) }
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
        let start = job.utf8.count
        let end = min(start + TextEncoder.slice, job.text.length.utf8)
        let slice = job.text.bytes(in: start..<end)
        job.utf8 += slice
        job.writer.appendEscaped(slice)
        let isDone = end == job.text.length.utf8
        let encoded = isDone ? EncodedText(utf8: job.utf8, escaped: job.writer.bytes) : nil
        let (completions, goesOn) = state.withLock { [job] state -> ([Completion], Bool) in
            guard let encoded else {
                state.jobs.append(job)
                return ([], true)
            }
            state.last = (job.version, encoded)
            state.isWorking = !state.jobs.isEmpty
            return (state.waiting.removeValue(forKey: job.version) ?? [], state.isWorking)
        }
        if let encoded { for completion in completions { completion(encoded) } }
        if goesOn { runInBackground { self.work() } }
    }
}
