package import CaretConcurrency

/// Runs the reads of upkeep: on a queue of their own, or between the other calls of a connection.
package struct UpkeepReads<Connection: SQLConnection>: Sendable {
    package typealias Read = @Sendable (inout UpkeepReader<Connection>) -> Void

    private let add: @Sendable (@escaping Read) -> Void

    /// `add` runs each read once, at some time, and one at a time.
    package init(_ add: @escaping @Sendable (@escaping Read) -> Void) { self.add = add }

    package init(_ queue: QueueConfined<UpkeepReader<Connection>>) { add = { queue.async($0) } }

    /// Runs `body`, and returns its answer.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (inout UpkeepReader<Connection>) -> Answer
    ) async -> Answer {
        await withCheckedContinuation { done in add { done.resume(returning: body(&$0)) } }
    }
}
