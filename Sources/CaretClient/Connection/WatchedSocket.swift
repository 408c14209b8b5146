#if canImport(Glibc) && !canImport(Network)
    import CaretConcurrency
    @preconcurrency import Dispatch
    import Glibc
    import Synchronization

    /// A socket with a thread that polls it. The socket is used on only one queue, and calls its handlers
    /// there.
    ///
    /// The class does not use DispatchSource. When the other side had closed or refused the connection, a
    /// read source on Linux sometimes did not report this until the next write. A client has only one
    /// connection, so the thread costs little.
    final class WatchedSocket {
        struct Handlers {
            let readable: () -> Void
            let writable: () -> Void
        }

        /// The state that the thread reads, and a pipe to wake the thread when the state changes.
        private final class Control: Sendable {
            struct State {
                var watchesOutput = false
                var isClosed = false
            }

            let state = Mutex(State())
            /// The read end becomes readable when the state has changed.
            let wakePipe: (readEnd: Int32, writeEnd: Int32)

            /// Returns nil if the process has no descriptors left.
            init?() {
                var ends: [Int32] = [-1, -1]
                if pipe(&ends) != 0 { return nil }
                for end in ends {
                    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                    _ = fcntl(end, F_SETFL, O_NONBLOCK)
                }
                wakePipe = (ends[0], ends[1])
            }

            deinit {
                Glibc.close(wakePipe.readEnd)
                Glibc.close(wakePipe.writeEnd)
            }

            func change(_ body: (inout sending State) -> Void) {
                state.withLock { body(&$0) }
                var byte: UInt8 = 1
                // If the pipe is full, the write fails. The bytes in the pipe wake the thread anyway.
                _ = Glibc.write(wakePipe.writeEnd, &byte, 1)
            }
        }

        let descriptor: Int32
        private let control: Control

        /// Starts to watch for input. The handlers are called on the queue, and never after `close`.
        ///
        /// Returns nil if the process has no descriptors left. Then the caller must close `descriptor`.
        init?(_ descriptor: Int32, _ queue: DispatchQueue, _ handlers: Handlers) {
            guard let control = Control() else { return nil }
            self.descriptor = descriptor
            self.control = control
            let bound = Confined(handlers, within: queue)
            DispatchQueue(label: "caret.client.socket").async {
                WatchedSocket.watch(descriptor, control) { input, output in
                    queue.sync {
                        // `writable` may close the socket, so `isClosed` is checked again before `readable`.
                        if output, !control.state.withLock({ $0.isClosed }) { bound.value.writable() }
                        if input, !control.state.withLock({ $0.isClosed }) { bound.value.readable() }
                    }
                }
                Glibc.close(descriptor)
            }
        }

        /// Polls the descriptor and calls `handler` for input and output, until the socket is closed.
        private static func watch(_ descriptor: Int32, _ control: Control, _ handler: (Bool, Bool) -> Void) {
            while true {
                let state = control.state.withLock { $0 }
                if state.isClosed { return }
                var watched = [
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: control.wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
                ]
                if state.watchesOutput { watched[0].events |= Int16(POLLOUT) }
                // If `poll` fails, all `revents` stay zero, so `handler` is not called.
                _ = poll(&watched, 2, -1)
                if watched[1].revents != 0 {
                    var bytes = [UInt8](repeating: 0, count: 64)
                    _ = read(control.wakePipe.readEnd, &bytes, bytes.count)
                }
                let events = Int32(watched[0].revents)
                let hasEnded = events & (POLLERR | POLLHUP | POLLNVAL) != 0
                let (input, output) = (events & POLLIN != 0 || hasEnded, events & POLLOUT != 0)
                if input || output { handler(input, output) }
            }
        }

        /// Sets whether `writable` is called when the socket accepts output.
        func watchOutput(_ watches: Bool) {
            if control.state.withLock({ $0.watchesOutput == watches }) { return }
            control.change { $0.watchesOutput = watches }
        }

        func close() { control.change { $0.isClosed = true } }

        deinit {
            precondition(control.state.withLock { $0.isClosed }, "a socket was released before it was closed")
        }
    }
#endif
