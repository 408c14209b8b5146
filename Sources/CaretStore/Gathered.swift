import Synchronization

/// The answers to several calls, which are told together once the last one is there.
final class Gathered<Answer: Sendable>: Sendable {
    private let answers: Mutex<[Answer?]>
    private let completion: @Sendable ([Answer]) -> Void

    /// There must be one at least, since nothing is told before the last.
    init(_ count: Int, then completion: @escaping @Sendable ([Answer]) -> Void) {
        answers = Mutex(Array(repeating: nil, count: count))
        self.completion = completion
    }

    func set(_ index: Int, _ answer: Answer) {
        let all = answers.withLock { answers -> [Answer]? in
            answers[index] = answer
            let known = answers.compactMap { $0 }
            return known.count == answers.count ? known : nil
        }
        if let all { completion(all) }
    }
}
