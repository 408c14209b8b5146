import Foundation

/// A program that was run to its end.
struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The way to programs, and what a sanitizer is told by `scripts/test --sanitize`.
    private static let inherited: Set = ["PATH", "LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"]

    /// What every program is given.
    static var surroundings: [String: String] {
        let inherited = ProcessInfo.processInfo.environment.filter { Run.inherited.contains($0.key) }
        return ["PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8"].merging(inherited) { $1 }
    }

    init(_ program: String, _ arguments: [String], input: String = "", environment: [String: String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = Run.surroundings.merging(environment) { $1 }
        let (input, output, errors) = (try Run.file(input), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        // What it complains of fits a pipe, so that one may be read after the other.
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// An input that ends, and is of any length.
    private static func file(_ text: String) throws -> FileHandle {
        let path = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try Data(text.utf8).write(to: path)
        let handle = try FileHandle(forReadingFrom: path)
        try FileManager.default.removeItem(at: path)
        return handle
    }

    /// A program that lies beside the tests.
    static func path(of program: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path
    }
}
