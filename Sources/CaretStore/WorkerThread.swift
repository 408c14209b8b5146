@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A thread that runs one block each time it is woken, and sleeps in between.
///
/// For work that never ends for long: a dispatch queue's blocks run on whichever thread of a pool has slept longest,
/// whose memory is in no core's cache any more.
final class WorkerThread: Sendable {
    enum Next {
        case sleep
        case end
    }

    private let semaphore = DispatchSemaphore(value: 0)

    /// `work` is run once for each `wake`, until it says that the thread ends.
    init(_ work: @escaping @Sendable () -> Next) {
        startThread { [semaphore] in
            repeat { semaphore.wait() } while work() == .sleep
        }
    }

    func wake() { semaphore.signal() }
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
