import CaretSync
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// The terminal while it shows a full-screen page. Handles keys, the size and signals.
///
/// `restore` returns the terminal to its former state. A signal that would end the program sets `isEnded`
/// instead, so that the caller can restore the terminal first.
package final class Terminal: Sendable {
    package struct Size: Equatable, Sendable {
        let rows: Int
        let columns: Int

        package init(rows: Int, columns: Int) {
            self.rows = rows
            self.columns = columns
        }
    }

    private struct State {
        var isEnded = false
        var sources: [any DispatchSourceProtocol] = []
        /// The former handler of each signal.
        var handlers: [(number: Int32, handler: sighandler_t?)] = []
    }

    private let formerSettings: termios
    private let state = Mutex(State())

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// `command` names the subcommand in an error.
    init(for command: String) throws(Failure) {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) != 0 {
            throw Failure("\(command) needs a terminal for its keys")
        }
        formerSettings = settings
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() { state.withLock { $0.isEnded = true } }

    /// Begins to handle keys and signals. Calls `press` with the bytes of the keys, on any thread.
    func begin(ringing bell: Bell, _ press: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
        enter()
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        keys.setEventHandler { [self] in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // The end of the input means that the terminal is gone.
            if count <= 0 { end() } else { press(bytes.prefix(count)) }
            bell.ring()
        }
        var sources: [any DispatchSourceProtocol] = [keys]
        var handlers: [(number: Int32, handler: sighandler_t?)] = []
        for number in [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP] {
            handlers.append((number, signal(number, SIG_IGN)))
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                switch number {
                case SIGWINCH: break
                case SIGTSTP: stop()
                default: end()
                }
                bell.ring()
            }
            sources.append(source)
        }
        for source in sources { source.activate() }
        let (made, known) = (sources, handlers)
        state.withLock { ($0.sources, $0.handlers) = (made, known) }
    }

    private func enter() {
        var settings = formerSettings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        put(Terminal.enter)
    }

    private func leave() {
        put(Terminal.leave)
        var settings = formerSettings
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Restores the terminal and stops the program, as Ctrl-Z does. Continues when the program is in the
    /// foreground again.
    private func stop() {
        leave()
        var stopping = sigset_t()
        sigemptyset(&stopping)
        sigaddset(&stopping, SIGTSTP)
        let handler = signal(SIGTSTP, SIG_DFL)
        // Threads of a dispatch queue block the signal SIGTSTP. After this call, raising the signal stops the
        // whole program at once.
        pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
        repeat { raise(SIGTSTP) } while isInBackground
        pthread_sigmask(SIG_BLOCK, &stopping, nil)
        signal(SIGTSTP, handler)
        enter()
    }

    private var isInBackground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group >= 0 && group != getpgrp()
    }

    /// Overwrites the rows in place, so that nothing flickers.
    func show(_ rows: [String]) {
        put("\u{1B}[H" + rows.map { $0 + "\u{1B}[0m\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    var size: Size {
        var found = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &found) == 0 && found.ws_row > 0
        return isKnown
            ? Size(rows: Int(found.ws_row), columns: Int(found.ws_col)) : Size(rows: 24, columns: 80)
    }

    func restore() {
        let (sources, handlers) = state.withLock { state in
            defer { (state.sources, state.handlers) = ([], []) }
            return (state.sources, state.handlers)
        }
        if sources.isEmpty { return }
        for source in sources { source.cancel() }
        leave()
        for (number, handler) in handlers { signal(number, handler) }
    }

    private func put(_ text: String) {
        // A write to a closed terminal fails. This is no problem, because a signal reports that the terminal
        // was closed.
        try? SystemFile.put(Array(text.utf8)[...], into: STDOUT_FILENO, "the terminal")
    }
}
