@preconcurrency import Dispatch
import Glibc

/// Prints a last message when a signal, such as Ctrl-C, ends the command. Can be used from any thread.
final class Interruption: Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ printLastMessage: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The dispatch source receives ignored signals too.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                printLastMessage()
                // The status that a shell reports for a signal.
                exit(128 + number)
            }
            source.activate()
            return source
        }
    }

    /// Restores the default: signals end the command without a message.
    func end() {
        for source in sources {
            source.cancel()
            signal(Int32(source.handle), SIG_DFL)
        }
    }
}
