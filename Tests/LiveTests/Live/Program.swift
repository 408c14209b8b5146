import Foundation
import Glibc

/// A process that a test starts. It is killed when the last reference to it is gone.
final class Program {
    /// How the process ended, and its output that no test has read yet.
    struct ExitResult {
        /// The exit status; nil if a signal ended it.
        let status: Int32?
        let output: [String]
        let errors: [String]
    }

    let process: pid_t
    let output: LineReader
    let errors: LineReader
    /// Where to write the input of the process; nil if the process shares the input of the tests.
    private var input: Int32?
    private var hasEnded = false

    /// Runs a command from the search path. The command does not inherit variables whose names begin with
    /// `CARET_`. A test sets them in `environment`.
    init(_ command: [String], environment: [String: String] = [:], readsLines: Bool = false) throws {
        let (output, errors) = (try SocketPair(), try SocketPair())
        let input = readsLines ? try SocketPair() : nil
        defer {
            close(output.write)
            close(errors.write)
            if let input { close(input.read) }
        }
        self.input = input?.write
        self.output = LineReader(output.read)
        self.errors = LineReader(errors.read)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO)
        if let input { posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO) }
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARET_") }
        let variables = inherited.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        let arguments = command.map { strdup($0) } + [nil]
        defer { for text in variables + arguments { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], &actions, nil, arguments, variables)
        if code != 0 { throw SystemFailure("posix_spawnp", code) }
        self.process = process
    }

    /// A channel to or from the program, which no other program inherits. It is a socket pair, because `pipe`
    /// cannot set close-on-exec.
    private struct SocketPair {
        let read: Int32
        let write: Int32

        init() throws {
            var sockets: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            if socketpair(AF_UNIX, kind, 0, &sockets) != 0 { throw SystemFailure("socketpair", errno) }
            (read, write) = (sockets[0], sockets[1])
        }
    }

    deinit {
        endInput()
        if hasEnded { return }
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The server, built next to the tests.
    static let caretd = path(of: "caretd")

    /// The path of a program that is built next to the tests.
    static func path(of program: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path
    }

    /// Sends a line to a program that reads lines.
    func send(_ line: String) throws {
        guard let input else { throw Unexpected("the program has no input of its own") }
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        let count = Glibc.send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count != bytes.count { throw SystemFailure("send", errno) }
    }

    func endInput() {
        if let input { close(input) }
        input = nil
    }

    func kill(_ signal: Int32) { Glibc.kill(process, signal) }

    /// Waits until the process ends.
    func waitForExit() throws -> ExitResult {
        let (output, errors) = (try output.remainingLines(), try errors.remainingLines())
        var status: Int32 = 0
        waitpid(process, &status, 0)
        hasEnded = true
        // The same as the macros WIFEXITED and WEXITSTATUS.
        return ExitResult(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil, output: output, errors: errors)
    }
}

/// A system call that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    init(_ call: String, _ code: Int32) { (self.call, self.code) = (call, code) }

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}
