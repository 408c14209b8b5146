@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A value that only one thread touches, which is there for nothing else and sleeps while there is nothing to do.
///
/// For what is wanted all the time: a queue's blocks are run by whichever thread of a pool has slept longest, and of
/// its memory no core has anything at hand any more.
final class Resident<Value>: Sendable {
    typealias Job = @Sendable (inout Value) -> Void

    private let worker: Worker<Value>

    init(_ value: sending Value) {
        worker = Worker(value)
        let worker = worker
        startThread { worker.work() }
    }

    // Whoever lets it go wants nothing more of it.
    deinit { worker.change { $0.end = $0.end ?? {} } }

    /// Does a job when its turn comes.
    func async(_ job: @escaping Job) {
        worker.change { state in
            precondition(state.end == nil, "a call on a thread that was told to end")
            state.jobs.append(job)
        }
    }

    /// Gives the value up once all calls before are done, and ends.
    func close(then completion: @escaping @Sendable () -> Void) { worker.change { $0.end = completion } }
}

// @unchecked: the value is touched by `work` alone, which one thread runs, once.
private final class Worker<Value>: @unchecked Sendable {
    struct State {
        var jobs: [Resident<Value>.Job] = []
        var end: (@Sendable () -> Void)?
        var isAsleep = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private var value: Value?

    init(_ value: sending Value) { self.value = value }

    func change(_ change: (inout sending State) -> Void) {
        let mustWake = state.withLock { state in
            change(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustWake { wake.signal() }
    }

    func work() {
        while true {
            let (jobs, end) = state.withLock { state in
                defer { state.jobs = [] }
                state.isAsleep = state.jobs.isEmpty && state.end == nil
                return (state.jobs, state.end)
            }
            for job in jobs { job(&value!) }
            if !jobs.isEmpty { continue }
            if let end {
                value = nil
                return end()
            }
            wake.wait()
        }
    }
}

/// Runs `body` on a thread of its own, which ends with it.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let passed = Unmanaged.passRetained(ThreadBody(body))
    let code = pthread_create(
        &thread, nil,
        { passed in
            // It is what is passed below.
            Unmanaged<ThreadBody>.fromOpaque(passed!).takeRetainedValue().run()
            return nil
        }, passed.toOpaque())
    precondition(code == 0, "the system has no thread: \(String(cString: strerror(code)))")
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
