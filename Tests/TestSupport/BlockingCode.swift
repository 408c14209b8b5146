import Dispatch

/// Runs blocking code on its own thread, because tests share a few threads.
package func onOwnThread<Answer: Sendable>(
    _ body: @escaping @Sendable () throws -> Answer
) async throws -> Answer {
    try await withCheckedThrowingContinuation { done in
        DispatchQueue(label: "test").async { done.resume(with: Result { try body() }) }
    }
}
