import CaretTLS
import Glibc
import Testing

/// A server in a process of its own, on a port that the system chose. It runs as long as a test refers to it.
final class LiveServer {
    let scratch: Scratch
    let program: Program
    let port: UInt16
    /// The time from the start of the process until the server was ready.
    let startup: Duration
    /// The transport of the clients that `connect` makes.
    let transport: Transport
    private let certificate: ServerCertificate?
    private let options: [String: String]
    private let wrapper: [String]
    /// Whether clients use the server's socket, because its port is in another network namespace.
    private let isElsewhere: Bool
    /// The log lines after the line `ready`, up to the last one that a test waited for.
    private(set) var logLines: [String] = []

    /// Turns off pings and checks, which the server sends when nothing else happens. A test that needs them
    /// sets the options itself.
    private static let quiet = ["--ping": "1 h", "--limit-rest-time": "1 h"]

    /// `options` override the options of every test. `wrapper` is a command that runs the server; with `isElsewhere`,
    /// it does so in another network namespace. A server for a transport with TLS also serves clients without TLS.
    convenience init(
        _ options: [String: String] = [:], in scratch: Scratch? = nil, through wrapper: [String] = [],
        isElsewhere: Bool = false, over transport: Transport = .lines
    ) throws {
        try self.init(
            options, in: scratch ?? .inMemory(), through: wrapper, isElsewhere: isElsewhere, over: transport,
            transport.usesTLS ? ServerCertificate() : nil)
    }

    private init(
        _ options: [String: String], in scratch: Scratch, through wrapper: [String], isElsewhere: Bool,
        over transport: Transport, _ certificate: ServerCertificate?
    ) throws {
        (self.scratch, self.options, self.wrapper) = (scratch, options, wrapper)
        self.isElsewhere = isElsewhere
        (self.transport, self.certificate) = (transport, certificate)
        let began = ContinuousClock.now
        let all = (certificate?.options ?? [:]).merging(options) { $1 }
        program = try Program(wrapper + Self.command(all, in: scratch))
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
    func startAgain() throws -> LiveServer {
        try LiveServer(
            options, in: scratch, through: wrapper, isElsewhere: isElsewhere, over: transport, certificate)
    }

    /// Reads the log lines that have arrived. A server whose log nobody reads stops when the pipe is full.
    func readLog() throws { logLines += try program.errors.arrivedLines() }

    // MARK: Clients

    /// Where clients reach the server.
    var address: Address { isElsewhere ? .unix(path: socketPath) : .loopback(port: port) }

    /// What clients of the server trust if they use TLS; nil if the server has no certificate of its own.
    var trust: TLSTrust? { certificate?.trust }

    /// A new client over the server's transport, or over another one.
    func connect(
        at listenerKind: LineClient.ListenerKind? = nil, _ style: LineClient.WriteStyle = .whole,
        over other: Transport? = nil
    ) throws -> any MessageClient {
        let connection = try openConnection(at: listenerKind, style, over: other)
        return (other ?? transport).usesWebSocket ? try WebSocketClient(over: connection) : connection
    }

    /// A new connection, with TLS if the transport uses TLS. The client has sent nothing else yet.
    func openConnection(
        at listenerKind: LineClient.ListenerKind? = nil, _ style: LineClient.WriteStyle = .whole,
        over other: Transport? = nil
    ) throws -> LineClient {
        let transport = other ?? transport
        let trust = transport.usesTLS ? trust : nil
        return try LineClient(
            self, at: listenerKind ?? (isElsewhere ? .adminSocket : .tcp), style, trusting: trust,
            speaking: transport.applicationProtocol)
    }
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
