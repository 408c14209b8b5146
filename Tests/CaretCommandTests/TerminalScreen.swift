import Foundation
import Testing

/// A terminal in tmux that runs `caret`: reads the screen and presses keys. It has its own tmux server:
///
///     let screen = try TerminalScreen(["watch", "notes"], on: session)
///     try screen.waits { $0.contains("notes 1") }
///     try screen.press("q")
///     #expect(try screen.ended() == 0)
final class TerminalScreen {
    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    private let environment: [String: String]
    /// The tmux server runs in the foreground. As a daemon it would keep open descriptors of the test
    /// process, and the test could not detect its end.
    private let server = Process()

    /// Runs `caret` through a shell, with the server of `session` or another server. The output stays on the
    /// screen after `caret` ends.
    convenience init(
        _ arguments: [String], on session: CommandSession, columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:], at server: [String]? = nil
    ) throws {
        let program = #"trap : INT; "$@"; echo $? >status; exec cat"#
        let words =
            ["sh", "-c", program, "sh", Run.path(of: "caret")] + arguments
            + (server ?? ["--data", session.data])
        try self.init(running: words, on: session, columns: columns, rows: rows, environment: environment)
    }

    /// Runs a program in a new folder.
    init(
        running words: [String], on session: CommandSession, columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:]
    ) throws {
        self.environment = environment
        folder = session.folder.appending(path: "screen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            set -g status off
            set -g default-terminal tmux-256color
            set -g escape-time 0
            """
        try settings.write(to: folder.appending(path: "settings"), atomically: true, encoding: .utf8)
        try start()
        try tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", folder.path, "--"] + words)
    }

    private func start() throws {
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["tmux", "-f", "settings", "-S", "tmux", "-D"]
        // The path of a socket must be short, so it is relative to the folder.
        server.currentDirectoryURL = folder
        server.environment = Run.surroundings.merging(environment) { $1 }
        server.standardInput = FileHandle.nullDevice
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        // Threads of a queue block most signals. If these signals were blocked, tmux would not notice the end
        // of its programs.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try server.run()
        let end = ContinuousClock.now + .seconds(30)
        // The command fails until the tmux server listens.
        while (try? tmux(["show-options", "-g"])) == nil {
            if !server.isRunning || ContinuousClock.now > end {
                throw TimedOut(description: "tmux does not start")
            }
            usleep(10_000)
        }
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        // Passes the environment, because a new session searches programs in the path of the tmux client.
        let run = try Run(
            "/usr/bin/env", ["-C", folder.path, "tmux", "-S", "tmux"] + arguments, environment: environment)
        if run.status != 0 { throw TimedOut(description: "tmux \(arguments): \(run.errors)") }
        return run.output
    }

    /// The visible rows, without blanks at their ends and without empty rows at the bottom.
    func text() throws -> String {
        try tmux(["capture-pane", "-p"]).replacing(/\s+$/, with: "")
    }

    /// The visible rows with escape sequences for colours. `^` replaces the beginning of each sequence.
    func coloredText() throws -> String {
        try tmux(["capture-pane", "-p", "-e"]).replacing(/\s+$/, with: "").replacing("\u{1B}[", with: "^")
    }

    /// Presses keys by name, such as `Down`, `Space`, `C-c` or `q`.
    func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

    /// Types a line and presses Enter.
    func type(_ line: String) throws {
        try tmux(["send-keys", "-l", line])
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Whether a program uses the alternate screen. When the program ends, the former screen comes back.
    func showsFullScreen() throws -> Bool { try tmuxValue("alternate_on") == "1" }

    func showsCursor() throws -> Bool { try tmuxValue("cursor_flag") == "1" }

    private func tmuxValue(_ what: String) throws -> String {
        try tmux(["display-message", "-p", "#{\(what)}"]).trimmingCharacters(in: .newlines)
    }

    /// Waits until the screen fulfils a condition. Returns the screen.
    @discardableResult
    func waits(until condition: (String) throws -> Bool) throws -> String {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let text = try text()
            if try condition(text) { return text }
            if ContinuousClock.now > end {
                throw TimedOut(description: "the awaited text did not appear; the screen is:\n\(text)")
            }
            usleep(10_000)
        }
    }

    /// Waits until `caret` ends. Returns its status, which is 130 after an interrupt.
    func ended() throws -> Int32? {
        var status = ""
        try waits { _ in
            // The file does not exist until `caret` ends.
            status = (try? String(contentsOf: folder.appending(path: "status"), encoding: .utf8)) ?? ""
            return status.hasSuffix("\n")
        }
        return Int32(status.dropLast())
    }

    deinit {
        server.terminate()
        server.waitUntilExit()
    }
}
