import CaretClient
import Foundation

/// A server of this package that runs beside a test, in a folder of its own.
final class ServerProcess {
    struct DidNotStart: Error {
        let said: String
    }

    private let folder: URL
    private var process = Process()
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
        process.environment = [:]
        let log = Pipe()
        process.standardError = log
        try process.run()
        address = try listeningAddress(in: log.fileHandleForReading)
    }

    /// The socket that lies beside its data.
    var socket: ServerAddress { .unix(path: folder.appending(path: "caretd.sock").path) }

    private func listeningAddress(in log: FileHandle) throws -> ServerAddress {
        var said = ""
        while !said.contains("event=ready") {
            let more = log.availableData
            if more.isEmpty { throw DidNotStart(said: said) }
            said += String(decoding: more, as: UTF8.self)
        }
        // Nobody reads it any further, and a full pipe would hold the server up.
        log.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
        let words = said.split { $0 == " " || $0 == "\n" }
        let address = words.first { $0.hasPrefix("address=") }?.dropFirst("address=".count)
        guard let address, let found = ServerAddress(String(address)) else { throw DidNotStart(said: said) }
        return found
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { kill() }
        // What cannot be removed lies in the system's folder for such things, and harms no test.
        try? FileManager.default.removeItem(at: folder)
    }
}
