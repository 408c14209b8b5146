import Foundation

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

    private let process = Process()
    private let output = Pipe()

    /// Runs a program from the folder of the test program.
    init(_ program: String, _ arguments: [String]) throws {
        try self.init(at: ChildProcess.path(of: program), arguments)
    }

    init(at path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    static func path(of program: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path
    }

    /// Waits until the process ends by itself.
    func waitForExit() -> ExitResult { waitForExit(after: Data()) }

    /// Kills the process as soon as it has written this number of lines.
    func killProcess(afterLines count: Int) throws -> ExitResult {
        var received = Data()
        while received.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty {
                throw Unexpected(
                    what: "the process stopped by itself: \(String(decoding: received, as: UTF8.self))")
            }
            received.append(more)
        }
        kill(process.processIdentifier, SIGKILL)
        return waitForExit(after: received)
    }

    private func waitForExit(after received: Data) -> ExitResult {
        let all = received + output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return ExitResult(
            lines: String(decoding: all, as: UTF8.self).split(separator: "\n"),
            status: process.terminationReason == .exit ? process.terminationStatus : nil)
    }
}

/// Whether CARET_FULL is set. The tests then run all their cases.
let isFullRun = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

/// The only seed to run, from CARET_SEED; nil for all seeds.
let onlySeed = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(Int.init)
