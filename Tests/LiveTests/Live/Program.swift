import Foundation
import Glibc
import TestSupport
import Testing

/// A process that a test starts. It is killed when the last reference to it is gone.
final class Program {
    /// How the process ended, and its output that no test has read yet.
    struct ExitResult {
        /// The exit status; nil if a signal ended it.
        let status: Int32?
        let output: [String]
        let errors: [String]
    }

    let output: LineReader
    let errors: LineReader
    private let program: ChildProgram

    /// Runs a command from the search path. The command does not inherit variables whose names begin with
    /// `CARET_`. A test sets them in `environment`.
    init(_ command: [String], environment: [String: String] = [:], readsLines: Bool = false) throws {
        program = try ChildProgram(
            command, environment: ChildProgram.environment(adding: environment),
            input: readsLines ? .pipe : .inherited, output: .pipe, errors: .pipe)
        (output, errors) = (
            LineReader(program.output, ownedBy: program), LineReader(program.errors, ownedBy: program)
        )
    }

    var process: Int32 { program.id }

    /// The kilobytes of memory that the kernel names so in the status of the process: `VmRSS` now, `VmHWM` at most so far.
    func kilobytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }, "\(status)")
    }

    /// The server, built next to the tests.
    static let caretd = ChildProgram.path(of: "caretd")

    /// Sends a line to a program that reads lines.
    func send(_ line: String) throws { try program.write(line + "\n") }

    func endInput() { program.endInput() }

    func kill(_ signal: Int32) { program.kill(signal) }

    /// Waits until the process ends.
    func waitForExit() throws -> ExitResult {
        let (output, errors) = (try output.remainingLines(), try errors.remainingLines())
        return ExitResult(status: program.waitForEnd(), output: output, errors: errors)
    }
}

/// A system call that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    init(_ call: String, _ code: Int32) { (self.call, self.code) = (call, code) }

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}
