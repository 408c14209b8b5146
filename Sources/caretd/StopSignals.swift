@preconcurrency import Dispatch
import Glibc

/// Handles SIGTERM and SIGINT. `next` returns the first signal. The second signal ends the process at once.
struct StopSignals {
    private let sources: [any DispatchSourceSignal]
    private let first: AsyncStream<Int32>

    init() {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let queue = DispatchQueue(label: "caretd.signals")
        first = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if case .terminated = continuation.yield(number) { _exit(128 + number) }
                continuation.finish()
            }
            source.activate()
            return source
        }
    }

    /// Waits for the first signal.
    func next() async -> Int32 {
        for await number in first { return number }
        return SIGTERM
    }
}
