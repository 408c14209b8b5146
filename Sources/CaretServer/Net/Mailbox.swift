import CLinux
import Glibc
import Synchronization

/// What others want done on a loop. Anybody may put something in; only the loop takes out.
final class Mailbox: Sendable {
    typealias Job = @Sendable (Sockets) -> Void

    private enum Reader {
        /// The loop is at work and will look again before it sleeps.
        case awake
        /// The loop sleeps, or is about to.
        case asleep
        /// The loop has stopped and takes nothing more.
        case gone
    }

    private struct State {
        var reader = Reader.asleep
        var jobs: [Job] = []
    }

    /// Becomes readable when a sleeping loop must wake.
    let descriptor: Int32
    private let state = Mutex(State())

    init() throws(SystemFault) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if descriptor < 0 { throw SystemFault("eventfd") }
    }

    deinit { close(descriptor) }

    /// Whether the job will be done: not where the loop has stopped.
    func put(_ job: @escaping Job) -> Bool {
        let reader = state.withLock { state in
            let reader = state.reader
            if reader == .gone { return reader }
            state.jobs.append(job)
            // One call wakes it, however many jobs come until it does.
            state.reader = .awake
            return reader
        }
        if reader == .asleep { eventfd_write(descriptor, 1) }
        return reader != .gone
    }

    /// All jobs so far, in their order; the loop is awake from now on.
    func take() -> [Job] {
        state.withLock { state in
            if state.reader == .asleep { state.reader = .awake }
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Whether the loop may sleep: not while a job waits.
    func mayFallAsleep() -> Bool {
        state.withLock { state in
            if state.jobs.isEmpty { state.reader = .asleep }
            return state.jobs.isEmpty
        }
    }

    /// Takes nothing from now on, and hands out what it had taken before.
    func shut() -> [Job] {
        state.withLock { state in
            defer { state = State(reader: .gone) }
            return state.jobs
        }
    }
}
