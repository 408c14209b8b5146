import CaretClient
import Foundation
import TestSupport
import Testing

/// A folder with a running server. Runs `caret` against it, as a transcript describes:
///
///     $ put notes/today --create << one⏎two⏎      the arguments of caret, and its standard input
///     notes/today: saved as revision 1            its output; `…` matches any text in a line
///     ! caret: nope: there is no such document    its error output
///     [1]                                         its exit status, if not 0
///
/// Words are split as in a shell with single quotes. `DIR` in words and lines is the folder.
final class CommandSession {
    let folder: URL
    private var server: ChildProgram?
    private(set) var address = ""

    /// Starts a server with these options, which override the defaults. Starts no server if the options are
    /// nil.
    init(_ options: [String]? = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let options { try start(options) }
    }

    var data: String { folder.path + "/data" }
    /// The server's socket in its data folder.
    var socket: ServerAddress { .unix(path: data + "/caretd.sock") }

    /// Starts the server, or starts it again after `stop`.
    func start(_ options: [String] = []) throws {
        let server = try ChildProgram(
            [ChildProgram.path(of: "caretd"), "--data", data, "--listen", "127.0.0.1:0"] + options,
            environment: Run.surroundings, errors: .pipe)
        self.server = server
        let log = ReceivedLines(of: server.errors)
        var output = ""
        while !output.contains("event=ready") {
            guard let line = log.next(before: .distantFuture) else { throw DidNotStart(output: output) }
            output += String(decoding: line, as: UTF8.self) + "\n"
        }
        let word = output.split { $0 == " " || $0 == "\n" }.first { $0.hasPrefix("address=") }
        address = String(word?.dropFirst("address=".count) ?? "")
    }

    struct DidNotStart: Error {
        let output: String
    }

    func stop() {
        server?.kill(SIGTERM)
        server?.waitForEnd()
        server = nil
    }

    /// Creates a document, stops the server, and damages the stored text.
    func damage(_ document: String) throws {
        // Random text cannot be compressed, so the store keeps it unchanged.
        var random = Seeded(1)
        let text = (0..<50_000).map { _ in UInt8(random.number(0x23...0x5B)) }
        let put = try caret(["put", document, "--create"], input: String(decoding: text, as: UTF8.self))
        #expect(put.status == 0)
        stop()
        let path = URL(filePath: data + "/caret.sqlite")
        var bytes = try Data(contentsOf: path)
        let place = try #require(bytes.range(of: Data(text[25_000..<25_040])))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: path)
    }

    deinit {
        stop()
        // If this fails, the folder stays in the temporary folder, which harms no test.
        try? FileManager.default.removeItem(at: folder)
    }

    func caret(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Run {
        let variables = ["CARET_SERVER": address].merging(environment) { $1 }
        return try Run(ChildProgram.path(of: "caret"), arguments, input: input, environment: variables)
    }

    /// Runs a shell command in the folder. Replaces `DATA` by the data folder, the default address by the
    /// server's address, and `/usr/local` by a path in the folder. The search path includes the programs next
    /// to the tests.
    func shell(_ line: String) throws -> Run {
        let here = line.replacing("DATA", with: data).replacing("127.0.0.1:22738", with: address)
            .replacing("/usr/local", with: folder.path + "/usr/local")
            .replacing("127.0.0.1 22738", with: address.replacing(":", with: " "))
        let programs = URL(filePath: ChildProgram.path(of: "caret")).deletingLastPathComponent().path
        return try Run(
            "/bin/sh", ["-c", "cd '\(folder.path)'; \(here)"],
            environment: ["PATH": "\(programs):/usr/bin:/bin", "CARET_SERVER": address, "EDITOR": "touch"])
    }

    // MARK: Transcripts

    private struct Step {
        var words: [String] = []
        var input = ""
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0
        var line = 0
    }

    func expect(_ transcript: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for step in steps(transcript) {
            var place = sourceLocation
            place.line += step.line
            let run = try caret(step.words, input: step.input)
            let output = "\(step.words): \(run.status)\n\(run.output)\(run.errors)"
            #expect(run.status == step.status, "\(output)", sourceLocation: place)
            #expect(isLike(run.output, step.output), "\(output)", sourceLocation: place)
            #expect(isLike(run.errors, step.errors), "\(output)", sourceLocation: place)
        }
    }

    private func steps(_ transcript: String) -> [Step] {
        var steps: [Step] = []
        let lines = transcript.replacing("DIR", with: folder.path).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("$ ") {
                let parts = String(line.dropFirst(2)).split(separator: " << ", maxSplits: 1)
                steps.append(
                    Step(
                        words: words(in: parts[0]),
                        input: parts.count > 1 ? String(parts[1]).replacing("⏎", with: "\n") : "",
                        line: number + 1))
            } else if line.hasPrefix("! ") {
                steps[steps.count - 1].errors.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("["), line.hasSuffix("]"),
                let status = Int32(line.dropFirst().dropLast())
            {
                steps[steps.count - 1].status = status
            } else {
                steps[steps.count - 1].output.append(String(line))
            }
        }
        return steps
    }

    private func words(in line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }

    private func isLike(_ text: String, _ patterns: [String]) -> Bool {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines.count == patterns.count && zip(lines, patterns).allSatisfy(isLike)
    }

    private func isLike(_ line: String, _ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard line.hasPrefix(pieces[0]) else { return false }
        if pieces.count == 1 { return line == pattern }
        var rest = line.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(pieces[pieces.count - 1])
    }
}
