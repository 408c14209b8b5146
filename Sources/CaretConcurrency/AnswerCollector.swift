import Synchronization

/// Collects the answers to several calls, and passes all of them on when the last one arrives.
public final class AnswerCollector<Answer: Sendable>: Sendable {
    private struct State {
        var answers: [Answer?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable ([Answer]) -> Void

    /// `count` must be at least 1, because only the last answer calls `completion`.
    public init(_ count: Int, then completion: @escaping @Sendable ([Answer]) -> Void) {
        state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
        self.completion = completion
    }

    public func set(_ index: Int, _ answer: Answer) {
        let all = state.withLock { state -> [Answer]? in
            state.answers[index] = answer
            state.missing -= 1
            return state.missing == 0 ? state.answers.compactMap { $0 } : nil
        }
        if let all { completion(all) }
    }
}
