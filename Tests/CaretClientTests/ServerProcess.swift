import CaretClient
import Foundation

/// A server of this package that runs beside a test, in a folder of its own.
final class ServerProcess {
    struct DidNotStart: Error {
        let said: String
    }

    private let folder: URL
    private var process = Process()
    private var loggedBefore = ""
    private(set) var address = ServerAddress.tcp(host: "127.0.0.1", port: 0)

    /// A server that takes connections.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try start()
    }

    /// Runs it again, at the address that it had.
    func start() throws {
        process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "caretd")
        process.arguments = ["--data", folder.path, "--listen", address.description]
        // All but what would configure it: a sanitizer has its options there.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARET_") }
        // A file and no pipe: nobody needs to read it, and no descriptor of this process watches it.
        let log = folder.appendingPathExtension("log")
        // What cannot be read is not there yet.
        loggedBefore += (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        address = try listeningAddress(in: log)
    }

    /// How often the server has logged an event, in all its lives.
    func count(of event: String) throws -> Int {
        let log = try String(contentsOf: folder.appendingPathExtension("log"), encoding: .utf8)
        return (loggedBefore + log).split { $0 == " " || $0 == "\n" }.count { $0 == "event=\(event)" }
    }

    /// The socket that lies beside its data.
    var socket: ServerAddress { .unix(path: folder.appending(path: "caretd.sock").path) }

    private func listeningAddress(in log: URL) throws -> ServerAddress {
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
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { kill() }
        // What cannot be removed lies in the system's folder for such things, and harms no test.
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: folder.appendingPathExtension("log"))
    }
}
