import Foundation
import TestSupport

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

    private let program: ChildProgram

    /// Runs a program from the folder of the test program.
    init(_ program: String, _ arguments: [String]) throws {
        try self.init(at: ChildProgram.path(of: program), arguments)
    }

    init(at path: String, _ arguments: [String]) throws {
        program = try ChildProgram([path] + arguments, output: .pipe)
    }

    /// Waits until the process ends by itself.
    func waitForExit() -> ExitResult { waitForExit(after: []) }

    /// Kills the process as soon as it has written this number of lines.
    func killProcess(afterLines count: Int) throws -> ExitResult {
        var received: [UInt8] = []
        while received.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = program.nextOutput()
            if more.isEmpty {
                throw Unexpected(
                    what: "the process stopped by itself: \(String(decoding: received, as: UTF8.self))")
            }
            received += more
        }
        program.kill(SIGKILL)
        return waitForExit(after: received)
    }

    private func waitForExit(after received: [UInt8]) -> ExitResult {
        let lines = (String(decoding: received, as: UTF8.self) + program.remainingOutput())
        return ExitResult(lines: lines.split(separator: "\n"), status: program.waitForEnd())
    }
}

/// Whether CARET_FULL is set. The tests then run all their cases.
let isFullRun = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

/// The only seed to run, from CARET_SEED; nil for all seeds.
let onlySeed = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(Int.init)
