/// The callers that wait for a document: the streams of update sequences, and continuations for goals.
struct DocumentWaiters {
    var updates: [CoalescingStream<PendingUpdates>] = []
    var goals: [RequestNumber: (goal: DocumentGoal, waiter: CheckedContinuation<Void, any Error>)] = [:]

    /// Adds the waiting callers to an update. Callers whose goal is reached or failed are removed.
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

    /// Removes and returns all waiting callers.
    mutating func removeAll() -> DocumentWaiters {
        defer { self = DocumentWaiters() }
        return self
    }

    /// The actions that end all waiting with an error.
    func ending(with error: any Error) -> [ShellAction] {
        [.endUpdates(updates)] + goals.values.map { .resumeGoal($0.waiter, .failure(error)) }
    }
}
