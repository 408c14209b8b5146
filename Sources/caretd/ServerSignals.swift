@preconcurrency import Dispatch
import Glibc

/// Handles the signals that control a server. SIGTERM and SIGINT stop it, and SIGHUP reloads its
/// configuration.
struct ServerSignals {
    private let sources: [any DispatchSourceSignal]
    private let stops: AsyncStream<Int32>
    /// One element for each reload that is due. If SIGHUP arrives several times during a reload, only one
    /// more reload follows, which reads the newest configuration.
    let reloads: AsyncStream<Void>

    init() {
        let (stops, stop) = AsyncStream<Int32>.makeStream()
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.stops = stops
        self.reloads = reloads
        let queue = DispatchQueue(label: "caretd.signals")
        sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            // Without this, the signal would end the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if number == SIGHUP {
                    reload.yield()
                    return
                }
                // The second signal to stop ends the process at once.
                if case .terminated = stop.yield(number) { _exit(128 + number) }
                stop.finish()
            }
            source.activate()
            return source
        }
    }

    /// Waits for the first signal to stop.
    func stop() async -> Int32 {
        for await number in stops { return number }
        return SIGTERM
    }
}
