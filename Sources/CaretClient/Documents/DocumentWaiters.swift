/// The callers that wait for a user of a document: the streams of update sequences, and the continuations of callers
/// that wait for a goal.
struct DocumentWaiters {
    var updates: [CoalescingStream<PendingUpdates>] = []
    var goals: [RequestNumber: (goal: DocumentGoal, waiter: CheckedContinuation<Void, any Error>)] = [:]

    /// Returns the actions that pass an update to the waiting callers. Removes callers whose goal was
    /// reached, or cannot be reached any more.
    mutating func shellActions(for update: DocumentUpdate, _ document: DocumentState?) -> [ShellAction] {
        var actions: [ShellAction] = updates.isEmpty ? [] : [.update(updates, update)]
        guard case .state = update, let document else { return actions }
        for (number, waiting) in goals {
            guard let result = waiting.goal.result(for: document) else { continue }
            goals[number] = nil
            actions.append(.resumeGoal(waiting.waiter, result))
        }
        return actions
    }

    /// The actions that send an error to all waiting callers.
    func ending(with error: any Error) -> [ShellAction] {
        [.endUpdates(updates)] + goals.values.map { .resumeGoal($0.waiter, .failure(error)) }
    }
}
