import Foundation

/// A finished run of a program.
struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The search path, and the variables of `scripts/test --sanitize`.
    private static let inherited: Set = ["PATH", "LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"]

    /// The environment that every program gets.
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
        // The error output fits into a pipe, so both outputs can be read one after the other.
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// A file with this text as standard input. A pipe could be too small for the text.
    private static func file(_ text: String) throws -> FileHandle {
        let path = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try Data(text.utf8).write(to: path)
        let handle = try FileHandle(forReadingFrom: path)
        try FileManager.default.removeItem(at: path)
        return handle
    }

    /// The path of a program that is built next to the tests.
    static func path(of program: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path
    }
}
