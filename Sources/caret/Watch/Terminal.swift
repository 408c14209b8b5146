@preconcurrency import Dispatch
import Glibc
import Synchronization

/// The terminal while a page takes all of it: its keys, its size, its end.
///
/// It is as it was before once `restore` was called, or a signal has ended the program.
final class Terminal: Sendable {
    struct Size: Equatable, Sendable {
        let rows: Int
        let columns: Int
    }

    private struct State {
        var isEnded = false
        var sources: [any DispatchSourceProtocol] = []
        var isRestored = false
    }

    private let before: termios
    private let state = Mutex(State())

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// For a subcommand of this name.
    init(for command: String) throws(Failure) {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) != 0 {
            throw Failure("\(command) wants a terminal to read keys from")
        }
        before = settings
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() { state.withLock { $0.isEnded = true } }

    /// Takes keys and signals from here on. `press` is given what keys send, on any thread.
    func begin(ringing bell: Bell, _ press: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
        var settings = before
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        put(Terminal.enter)
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        keys.setEventHandler { [self] in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // At its end there is nobody at the terminal any more.
            if count <= 0 { end() } else { press(bytes.prefix(count)) }
            bell.ring()
        }
        var sources: [any DispatchSourceProtocol] = [keys]
        for number in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                if number != SIGWINCH { end() }
                bell.ring()
            }
            sources.append(source)
        }
        for source in sources { source.activate() }
        state.withLock { $0.sources = sources }
    }

    /// Each row takes the place of the one that was there, so that nothing flickers.
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
        let sources = state.withLock { state in
            defer { (state.sources, state.isRestored) = ([], true) }
            return state.isRestored ? nil : state.sources
        }
        guard let sources else { return }
        for source in sources { source.cancel() }
        put(Terminal.leave)
        var settings = before
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    private func put(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // A terminal that is gone sees nothing, and its end comes as a signal.
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
