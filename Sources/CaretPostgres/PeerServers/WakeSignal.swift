import CLinux
import Glibc

/// Wakes a thread that waits in `poll`.
final class WakeSignal: Sendable {
    /// Readable after `wake`, until `reset`.
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(
            descriptor >= 0, "the system cannot create an event: \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    func wake() { eventfd_write(descriptor, 1) }

    func reset() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
