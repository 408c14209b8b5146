import CLinux
import CaretConcurrency
import Glibc

/// Jobs for a loop. Anybody may enqueue, and never waits; only the loop takes them.
final class Mailbox: Sendable {
    typealias Job = @Sendable (Sockets) -> Void

    /// Becomes readable when a sleeping loop must wake.
    let descriptor: Int32
    private let jobs = CoalescingQueue<Job, Void>()

    init() throws(SystemFault) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if descriptor < 0 { throw SystemFault("eventfd") }
        jobs.start(()) {}
    }

    deinit { Glibc.close(descriptor) }

    /// Whether the job will be done: not where the loop has stopped.
    func enqueue(_ job: @escaping Job) -> Bool { jobs.enqueue(job) { eventfd_write(descriptor, 1) } }

    /// All jobs so far, in their order. Nobody needs to wake the loop from now on.
    func takeAll() -> [Job] { jobs.takeAll() }

    /// Whether the loop may sleep: not while a job waits. Jobs that come from now on wake it.
    func maySleep() -> Bool { jobs.rest() }

    /// Accepts nothing from now on, and returns the jobs that were accepted before.
    func close() -> [Job] { jobs.close() }
}
