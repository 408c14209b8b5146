import Glibc
import Testing

/// A server in a process of its own, on a port that the system chose. It runs as long as a test refers to it.
final class LiveServer {
    let scratch: Scratch
    let program: Program
    let port: UInt16
    /// The time from the start of the process until the server was ready.
    let startup: Duration
    private let options: [String: String]
    private let wrapper: [String]
    /// The log lines after the line `ready`, up to the last one that a test waited for.
    private(set) var logLines: [String] = []

    /// Turns off pings and checks, which the server sends when nothing else happens. A test that needs them
    /// sets the options itself.
    private static let quiet = ["--ping": "1 h", "--limit-rest-time": "1 h"]

    /// `options` override the options of every test. `wrapper` is a command that runs the server.
    init(_ options: [String: String] = [:], in scratch: Scratch? = nil, through wrapper: [String] = []) throws
    {
        self.scratch = try scratch ?? .inMemory()
        (self.options, self.wrapper) = (options, wrapper)
        let began = ContinuousClock.now
        program = try Program(wrapper + Self.command(options, in: self.scratch))
        port = try Self.port(of: program)
        startup = ContinuousClock.now - began
    }

    /// The command line of a server with its data in a folder.
    static func command(_ options: [String: String], in scratch: Scratch) -> [String] {
        let own = ["--data": scratch.path + "/data", "--listen": "127.0.0.1:0"]
        let all = own.merging(quiet) { $1 }.merging(options) { $1 }
        return [Program.caretd] + all.map { "\($0.key)=\($0.value)" }
    }

    /// Reads the log until the server is ready.
    private static func port(of program: Program) throws -> UInt16 {
        var logLines: [String] = []
        var port: UInt16?
        while let line = try program.errors.next() {
            logLines.append(line)
            if let (_, address) = line.parts(around: "event=listening transport=tcp address=") {
                // Uses the first address, if there are several.
                port = port ?? address.split(separator: ":").last.flatMap { UInt16($0) }
            }
            if line.hasSuffix(" event=ready") { return try #require(port, "\(logLines)") }
        }
        throw Unexpected("the server did not become ready: \(logLines)")
    }

    var dataPath: String { options["--data"] ?? scratch.path + "/data" }
    var socketPath: String { dataPath + "/caretd.sock" }

    /// Waits for a log line that ends with `event`.
    func waitForLog(_ event: String) throws {
        while let line = try program.errors.next() {
            logLines.append(line)
            if line.hasSuffix(event) { return }
        }
        throw Unexpected("the server ended without logging \(event)")
    }

    /// Waits for a log line that matches.
    func waitForLog(_ event: some RegexComponent) throws {
        while let line = try program.errors.next() {
            logLines.append(line)
            if line.contains(event) { return }
        }
        throw Unexpected("the server ended without logging the expected line")
    }

    /// Stops the server with SIGTERM, as an operator does, and returns how the process ended.
    func stop() throws -> Program.ExitResult {
        program.kill(SIGTERM)
        return try program.waitForExit()
    }

    /// Kills the server with SIGKILL.
    func kill() throws {
        program.kill(SIGKILL)
        _ = try program.waitForExit()
    }

    /// Starts another server on the same data. This server must have ended.
    func startAgain() throws -> LiveServer { try LiveServer(options, in: scratch, through: wrapper) }
}

/// Something happened that a test does not expect.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension String {
    /// The text before and after the first occurrence of a piece.
    func parts(around piece: String) -> (String, String)? {
        firstRange(of: piece).map { (String(self[..<$0.lowerBound]), String(self[$0.upperBound...])) }
    }
}
