#if canImport(Glibc)
    @preconcurrency import Dispatch
    import Glibc

    /// A thread that runs one block each time it is woken, and sleeps in between.
    ///
    /// Use it instead of a dispatch queue for work that is frequent. A dispatch queue would wake the thread that
    /// has slept longest, whose memory is no longer in the cache of any core.
    public final class WorkerThread: Sendable {
        public enum Next {
            case sleep
            case end
        }

        private let semaphore = DispatchSemaphore(value: 0)

        /// Runs `work` once for each `wake`, until it returns `.end`.
        public init(_ work: @escaping @Sendable () -> Next) {
            startThread { [semaphore] in
                repeat { semaphore.wait() } while work() == .sleep
            }
        }

        public func wake() { semaphore.signal() }
    }

    /// Runs `body` on a new thread.
    private func startThread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let passed = Unmanaged.passRetained(ThreadBody(body))
        let code = pthread_create(
            &thread, nil,
            { passed in
                // The caller below passes a pointer, so `passed` is never nil.
                Unmanaged<ThreadBody>.fromOpaque(passed!).takeRetainedValue().run()
                return nil
            }, passed.toOpaque())
        precondition(code == 0, "the system cannot create a thread: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    private final class ThreadBody: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
#endif
