/// Whoever waits for something that happens to a document.
struct DocumentWaiters {
    var updates: [Pipe<PendingUpdates>] = []
    var goals: [AskNumber: (goal: DocumentGoal, waiter: CheckedContinuation<Void, any Error>)] = [:]

    /// What has happened, with those whom it concerns.
    mutating func orders(for update: DocumentUpdate, _ document: DocumentState?) -> [ClientOrder] {
        var orders: [ClientOrder] = updates.isEmpty ? [] : [.update(updates, update)]
        guard case .state = update, let document else { return orders }
        for (number, waiting) in goals {
            guard let answer = waiting.goal.answer(document) else { continue }
            goals[number] = nil
            orders.append(.reach(waiting.waiter, answer))
        }
        return orders
    }

    /// Hands over those who wait: nobody does here any more.
    mutating func taken() -> DocumentWaiters {
        defer { self = DocumentWaiters() }
        return self
    }

    /// Nothing happens any more.
    func ending(with error: any Error) -> [ClientOrder] {
        [.endUpdates(updates)] + goals.values.map { .reach($0.waiter, .failure(error)) }
    }
}
