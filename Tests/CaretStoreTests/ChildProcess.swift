import Foundation
import Synchronization

/// A program of this package, running as a child process of a test.
struct ChildProcess {
    /// The output and the exit status of a process.
    struct ExitResult {
        let lines: [Substring]
        /// Nil if a signal ended the process.
        let status: Int32?

        /// The numbers on the lines that begin with `word`.
        func numbers(after word: String) -> [Int] {
            lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }
        }
    }

    private let process: pid_t
    /// The read end of the pipe that is the output of the process.
    private let output: Int32

    /// Runs a program from the folder of the test program.
    init(_ program: String, _ arguments: [String]) throws {
        try self.init(at: ChildProcess.path(of: program), arguments)
    }

    init(at path: String, _ arguments: [String]) throws {
        (process, output) = try ChildProcess.starting.withLock { _ throws in
            try ChildProcess.start([path] + arguments)
        }
    }

    /// One start at a time. Otherwise a process could inherit the pipe of another one.
    private static let starting = Mutex<Void>(())

    /// Foundation's `Process` is not used here. It sometimes crashed while it listed the open descriptors of this
    /// process, when there were more than 1,300.
    private static func start(_ command: [String]) throws -> (process: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        if pipe(&ends) != 0 { throw Unexpected(what: "there is no pipe: \(errno)") }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, nil, words, environ)
        if code == 0 { return (process, ends[0]) }
        close(ends[0])
        throw Unexpected(what: "\(command[0]) cannot be started: \(code)")
    }

    static func path(of program: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path
    }

    /// Waits until the process ends by itself.
    func waitForExit() -> ExitResult { waitForExit(after: []) }

    /// Kills the process as soon as it has written this number of lines.
    func killProcess(afterLines count: Int) throws -> ExitResult {
        var received: [UInt8] = []
        while received.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = nextOutput()
            if more.isEmpty {
                throw Unexpected(
                    what: "the process stopped by itself: \(String(decoding: received, as: UTF8.self))")
            }
            received += more
        }
        kill(process, SIGKILL)
        return waitForExit(after: received)
    }

    /// Waits for output. Empty after the end of the output.
    private func nextOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(output, &bytes, bytes.count)
        if count < 0 { return errno == EINTR ? nextOutput() : [] }
        return Array(bytes[..<count])
    }

    private func waitForExit(after received: [UInt8]) -> ExitResult {
        var all = received
        while case let more = nextOutput(), !more.isEmpty { all += more }
        close(output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return ExitResult(
            lines: String(decoding: all, as: UTF8.self).split(separator: "\n"),
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil)
    }
}

/// Whether CARET_FULL is set. The tests then run all their cases.
let isFullRun = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

/// The only seed to run, from CARET_SEED; nil for all seeds.
let onlySeed = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(Int.init)
