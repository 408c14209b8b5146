@preconcurrency import Dispatch
import Glibc

/// Says a last word when somebody ends the command by a signal, as by Ctrl-C, and ends it. Confined to nobody.
final class Interruption: Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ sayLastWord: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The source is told all the same.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                sayLastWord()
                // As a shell has it.
                exit(128 + number)
            }
            source.activate()
            return source
        }
    }

    /// Signals end the command again without a word.
    func end() {
        for source in sources {
            source.cancel()
            signal(Int32(source.handle), SIG_DFL)
        }
    }
}
