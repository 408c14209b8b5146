import Foundation
import Glibc
import TestSupport

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
        let file = try Run.file(input)
        // The program has opened the file by then.
        defer { unlink(file) }
        let program = try ChildProgram(
            [program] + arguments, environment: Run.surroundings.merging(environment) { $1 },
            input: .file(file), output: .pipe, errors: .pipe)
        // The error output fits into a pipe, so both outputs can be read one after the other.
        output = program.remainingOutput()
        errors = program.remainingErrors()
        // No signal ends these programs.
        status = program.waitForEnd() ?? -1
    }

    /// The path of a file with this text, for standard input. A pipe could be too small for the text.
    private static func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}
