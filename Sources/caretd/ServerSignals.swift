import Glibc

/// Handles the signals that control a server. SIGTERM and SIGINT stop it, and SIGHUP reloads its
/// configuration.
///
/// Each signal that arrives after `init` waits until `watch` takes it. The signal sources of Dispatch do not
/// promise this on Linux: in tests, some reloads never began.
struct ServerSignals: Sendable {
    private let stops: AsyncStream<Int32>
    private let stop: AsyncStream<Int32>.Continuation
    /// One element for each reload that is due. If SIGHUP arrives several times during a reload, only one
    /// more reload follows, which reads the newest configuration.
    let reloads: AsyncStream<Void>
    private let reload: AsyncStream<Void>.Continuation

    private static var handled: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        return signals
    }

    /// Blocks the signals. Call this before there is another thread, because a new thread inherits what is
    /// blocked, and a thread that blocks nothing would receive the signals.
    init() {
        (stops, stop) = AsyncStream<Int32>.makeStream()
        (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var signals = Self.handled
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Passes on each signal as it arrives. The thread of the caller does nothing else from then on.
    func watch() -> Never {
        var signals = Self.handled
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGHUP {
                reload.yield()
                continue
            }
            // The second signal to stop ends the process at once.
            if case .terminated = stop.yield(number) { _exit(128 + number) }
            stop.finish()
        }
    }

    /// Waits for the first signal to stop.
    func firstStop() async -> Int32 {
        for await number in stops { return number }
        return SIGTERM
    }
}
