import Glibc
import Testing

/// A server that runs as long as a test has it, in a process of its own and on a port that the system chose.
final class LiveServer {
    let scratch: Scratch
    let program: Program
    let port: UInt16
    /// From the start of its process until it was ready.
    let startup: Duration
    private let options: [String: String]
    private let wrapper: [String]
    /// What it has said since it was ready, as far as a test has waited for it.
    private(set) var said: [String] = []

    /// Nothing that comes because nothing happens comes into a test that does not want it.
    private static let quiet = ["--ping": "1 h", "--limit-rest-time": "1 h"]

    /// Options win over those that every test has; a wrapper is a command that runs the server.
    init(_ options: [String: String] = [:], in scratch: Scratch? = nil, through wrapper: [String] = []) throws
    {
        self.scratch = try scratch ?? .inMemory()
        (self.options, self.wrapper) = (options, wrapper)
        let began = ContinuousClock.now
        program = try Program(wrapper + Self.command(options, in: self.scratch))
        port = try Self.port(of: program)
        startup = ContinuousClock.now - began
    }

    /// What starts a server whose data is in a folder.
    static func command(_ options: [String: String], in scratch: Scratch) -> [String] {
        let own = ["--data": scratch.path + "/data", "--listen": "127.0.0.1:0"]
        let all = own.merging(quiet) { $1 }.merging(options) { $1 }
        return [Program.caretd] + all.map { "\($0.key)=\($0.value)" }
    }

    /// Reads what the server says until it is ready.
    private static func port(of program: Program) throws -> UInt16 {
        var said: [String] = []
        var port: UInt16?
        while let line = try program.errors.next() {
            said.append(line)
            if let (_, address) = line.parts(around: "event=listening transport=tcp address=") {
                // The first one, where there are several.
                port = port ?? address.split(separator: ":").last.flatMap { UInt16($0) }
            }
            if line.hasSuffix(" event=ready") { return try #require(port, "\(said)") }
        }
        throw Unexpected("the server did not become ready: \(said)")
    }

    var dataPath: String { options["--data"] ?? scratch.path + "/data" }
    var socketPath: String { dataPath + "/caretd.sock" }

    /// Waits until it says a line that ends so.
    func says(_ event: String) throws {
        while let line = try program.errors.next() {
            said.append(line)
            if line.hasSuffix(event) { return }
        }
        throw Unexpected("the server ended without saying \(event)")
    }

    /// Waits until it says a line like this.
    func says(_ event: some RegexComponent) throws {
        while let line = try program.errors.next() {
            said.append(line)
            if line.contains(event) { return }
        }
        throw Unexpected("the server ended without saying what was waited for")
    }

    /// Ends it as an operator does, and answers with how it ended.
    func stopped() throws -> Program.End {
        program.kill(SIGTERM)
        return try program.ended()
    }

    /// Ends it at once, wherever it is.
    func killed() throws {
        program.kill(SIGKILL)
        _ = try program.ended()
    }

    /// Another one on the same data, once this one has ended.
    func again() throws -> LiveServer { try LiveServer(options, in: scratch, through: wrapper) }
}

/// Something else than what a test wants.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension String {
    /// What stands before and behind the first occurrence of a piece.
    func parts(around piece: String) -> (String, String)? {
        firstRange(of: piece).map { (String(self[..<$0.lowerBound]), String(self[$0.upperBound...])) }
    }
}
