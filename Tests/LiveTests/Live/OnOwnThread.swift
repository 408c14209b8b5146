import Dispatch
import Testing

/// Runs blocking tests on threads of their own. The thread pool that all tasks share is small, and may have
/// only one thread.
struct OnOwnThread: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread()) { try await function() }
    }
}

extension Trait where Self == OnOwnThread {
    static var onOwnThread: OnOwnThread { OnOwnThread() }
}

/// A thread for one test.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "live test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
