import CaretClient
import Foundation
import TestSupport

/// A `caretd` process for a test, with a data folder of its own.
final class ServerProcess {
    struct DidNotStart: Error {
        let said: String
    }

    private let folder: URL
    private var process: ChildProgram?
    private var loggedBefore = ""
    private(set) var address = ServerAddress.tcp(host: "127.0.0.1", port: 0)

    private let options: [String]

    /// Starts a server, and waits until it accepts connections.
    init(_ options: [String] = []) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try start()
    }

    /// Starts the server again, at the same address.
    func start() throws {
        // The log goes to a file, because a pipe would have to be read all the time.
        let log = folder.appendingPathExtension("log")
        // The file does not exist before the first start.
        loggedBefore += (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        try Data().write(to: log)
        let process = try ChildProgram(
            [ChildProgram.path(of: "caretd"), "--data", folder.path, "--listen", address.description]
                + options,
            errors: .file(log.path))
        self.process = process
        address = try listeningAddress(of: process, in: log)
    }

    /// How often the server has logged an event, over all its starts.
    func count(of event: String) throws -> Int {
        let log = try String(contentsOf: folder.appendingPathExtension("log"), encoding: .utf8)
        return (loggedBefore + log).split { $0 == " " || $0 == "\n" }.count { $0 == "event=\(event)" }
    }

    /// The address of the Unix socket in the server's data folder.
    var socket: ServerAddress { .unix(path: folder.appending(path: "caretd.sock").path) }

    private func listeningAddress(of process: ChildProgram, in log: URL) throws -> ServerAddress {
        var said = ""
        while !said.contains("event=ready") {
            if !process.isRunning { throw DidNotStart(said: said) }
            usleep(1_000)
            said = try String(contentsOf: log, encoding: .utf8)
        }
        let words = said.split { $0 == " " || $0 == "\n" }
        let address = words.first { $0.hasPrefix("address=") }?.dropFirst("address=".count)
        guard let address, let found = ServerAddress(String(address)) else { throw DidNotStart(said: said) }
        return found
    }

    func kill() {
        process?.kill(SIGKILL)
        process?.waitForEnd()
    }

    /// Stops the server as an operator does.
    func stop() {
        process?.kill(SIGTERM)
        process?.waitForEnd()
    }

    /// Lets the server stand still until `goOn`.
    func standStill() { process?.kill(SIGSTOP) }

    func goOn() { process?.kill(SIGCONT) }

    deinit {
        kill()
        // If the removal fails, the files stay in the system's temporary folder. This harms no test.
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: folder.appendingPathExtension("log"))
    }
}
