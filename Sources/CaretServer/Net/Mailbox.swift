import CLinux
import CaretConcurrency
import Glibc

/// Jobs for a loop. Any thread may enqueue a job without waiting. Only the loop runs the jobs.
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

    /// Adds a job. Returns false if the loop has stopped and will not run the job.
    func enqueue(_ job: @escaping Job) -> Bool { jobs.enqueue(job) { eventfd_write(descriptor, 1) } }

    /// Returns all waiting jobs, in order. Until `maySleep` returns true, enqueuing does not wake the loop.
    func takeAll() -> [Job] { jobs.takeAll() }

    /// Returns true if no job waits, so the loop may sleep. Later jobs wake it.
    func maySleep() -> Bool { jobs.endIfEmpty() }

    /// Stops accepting jobs, and returns those that were accepted before.
    func close() -> [Job] { jobs.close() }
}
