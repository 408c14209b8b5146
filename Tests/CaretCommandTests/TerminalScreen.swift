import Foundation
import TestSupport
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
    private let server: ChildProgram

    /// Runs `caret` through a shell, with the server of `session` or another server. The output stays on the
    /// screen after `caret` ends.
    convenience init(
        _ arguments: [String], on session: CommandSession, columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:], at server: [String]? = nil
    ) throws {
        let program = #"trap : INT; "$@"; echo $? >status; exec cat"#
        let words =
            ["sh", "-c", program, "sh", ChildProgram.path(of: "caret")] + arguments
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
        server = try TerminalScreen.startServer(in: folder, environment)
        try waitForServer()
        try tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", folder.path, "--"] + words)
    }

    private static func startServer(in folder: URL, _ environment: [String: String]) throws -> ChildProgram {
        // The path of a socket must be short, so it is relative to the folder.
        try ChildProgram(
            ["tmux", "-f", "settings", "-S", "tmux", "-D"],
            environment: Run.surroundings.merging(environment) { $1 }, folder: folder.path, input: .nothing,
            output: .nothing, errors: .nothing)
    }

    private func waitForServer() throws {
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
    ///
    /// Each look at the screen runs a program. So the number of looks, unlike a time, allows more on a busy machine.
    @discardableResult
    func waits(until condition: (String) throws -> Bool) throws -> String {
        var text = ""
        for _ in 0..<2_000 {
            text = try self.text()
            if try condition(text) { return text }
            usleep(10_000)
        }
        throw TimedOut(description: "the awaited text did not appear; the screen is:\n\(text)")
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
        server.kill(SIGTERM)
        server.waitForEnd()
    }
}
