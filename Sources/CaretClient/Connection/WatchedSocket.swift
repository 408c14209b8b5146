import CaretConcurrency
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A descriptor, and a thread that waits for what happens to it. Confined to a queue, on which it tells of it.
///
/// Not a DispatchSource: on Linux, one that reads was now and then not told that the other side had ended or refused, and
/// was heard of again only once something was written. A client has one connection, so a thread is no cost to speak of.
final class WatchedSocket {
    struct Handlers {
        let readable: () -> Void
        let writable: () -> Void
    }

    /// What the thread is to know, and how it is woken to look.
    private final class Orders: Sendable {
        struct State {
            var watchesOutput = false
            var isClosed = false
        }

        let state = Mutex(State())
        /// Becomes readable when the state has changed.
        let bell: (waiter: Int32, ringer: Int32)

        /// Nil where the process has no descriptors left.
        init?() {
            var ends: [Int32] = [-1, -1]
            if pipe(&ends) != 0 { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            bell = (ends[0], ends[1])
        }

        deinit {
            Glibc.close(bell.waiter)
            Glibc.close(bell.ringer)
        }

        func change(_ body: (inout sending State) -> Void) {
            state.withLock { body(&$0) }
            var byte: UInt8 = 1
            // A bell that is full has been rung.
            _ = Glibc.write(bell.ringer, &byte, 1)
        }
    }

    let descriptor: Int32
    private let orders: Orders

    /// Watches for input at once. The handlers are called on the queue, and not after `close`. Nil where the process has no
    /// descriptors left; the descriptor is its owner's then.
    init?(_ descriptor: Int32, _ queue: DispatchQueue, _ handlers: Handlers) {
        guard let orders = Orders() else { return nil }
        self.descriptor = descriptor
        self.orders = orders
        let bound = Confined(handlers, within: queue)
        DispatchQueue(label: "caret.client.socket").async {
            WatchedSocket.watch(descriptor, orders) { input, output in
                queue.sync {
                    // What is called may close it.
                    if output, !orders.state.withLock({ $0.isClosed }) { bound.value.writable() }
                    if input, !orders.state.withLock({ $0.isClosed }) { bound.value.readable() }
                }
            }
            Glibc.close(descriptor)
        }
    }

    /// Tells of what happens until it is closed.
    private static func watch(_ descriptor: Int32, _ orders: Orders, _ tell: (Bool, Bool) -> Void) {
        while true {
            let state = orders.state.withLock { $0 }
            if state.isClosed { return }
            var watched = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: orders.bell.waiter, events: Int16(POLLIN), revents: 0),
            ]
            if state.watchesOutput { watched[0].events |= Int16(POLLOUT) }
            guard poll(&watched, 2, -1) > 0 else { continue }
            if watched[1].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(orders.bell.waiter, &bytes, bytes.count)
            }
            let happened = Int32(watched[0].revents)
            let isOver = happened & (POLLERR | POLLHUP | POLLNVAL) != 0
            let (input, output) = (happened & POLLIN != 0 || isOver, happened & POLLOUT != 0)
            if input || output { tell(input, output) }
        }
    }

    /// Whether `writable` is called as long as the socket takes output.
    func watchOutput(_ watches: Bool) {
        if orders.state.withLock({ $0.watchesOutput == watches }) { return }
        orders.change { $0.watchesOutput = watches }
    }

    func close() { orders.change { $0.isClosed = true } }

    deinit { precondition(orders.state.withLock { $0.isClosed }, "a socket is let go that was not closed") }
}
