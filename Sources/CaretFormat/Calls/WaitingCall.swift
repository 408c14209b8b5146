package import CaretLog

/// A call to a store that waits for its answer.
package struct WaitingCall: Sendable {
    package let call: StoreCall
    private let completion: @Sendable (StoreAnswer) -> Void

    package init(_ call: StoreCall, then completion: @escaping @Sendable (StoreAnswer) -> Void) {
        (self.call, self.completion) = (call, completion)
    }

    package func answer(_ answer: StoreAnswer) { completion(answer) }

    package func answer(_ result: Result<StoreAnswer, HistoryRefusal>) {
        switch result {
        case .success(let answer): completion(answer)
        case .failure(let refusal): completion(call.refused(refusal))
        }
    }
}
