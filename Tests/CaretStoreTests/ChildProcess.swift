import Foundation

/// A program of this package that a test runs beside itself.
struct ChildProcess {
    /// How it ended, and all that it said.
    struct End {
        let lines: [Substring]
        /// The status of its exit; nil where a signal ended it.
        let status: Int32?

        /// The numbers that stand behind a word at the beginning of a line.
        func numbers(behind word: String) -> [Int] {
            lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }
        }
    }

    private let process = Process()
    private let output = Pipe()

    /// Runs a program that lies beside the tests.
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

    /// Waits until it ends by itself.
    func ended() -> End { ended(after: Data()) }

    /// Kills it as soon as it has said so many lines.
    func killed(afterLines count: Int) throws -> End {
        var told = Data()
        while told.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty {
                throw Unexpected(
                    what: "the process stopped by itself: \(String(decoding: told, as: UTF8.self))")
            }
            told.append(more)
        }
        kill(process.processIdentifier, SIGKILL)
        return ended(after: told)
    }

    private func ended(after told: Data) -> End {
        let all = told + output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return End(
            lines: String(decoding: all, as: UTF8.self).split(separator: "\n"),
            status: process.terminationReason == .exit ? process.terminationStatus : nil)
    }
}

/// Whether the laws are tried with their whole counts.
let isFullRun = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

/// The one seed that is asked for.
let askedSeed = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(Int.init)
