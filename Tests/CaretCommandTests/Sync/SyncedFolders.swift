import Foundation
import Glibc
import TestSupport

/// A server, and folders that are synced with it. Each process can be killed and started again.
final class SyncedFolders {
    let root: URL
    private var processes: [String: ChildProgram] = [:]

    /// The key of the server's process. The key of a folder is its name.
    static let server = "server"

    init(_ names: [String]) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        for name in names {
            try FileManager.default.createDirectory(at: folder(name), withIntermediateDirectories: true)
        }
    }

    func folder(_ name: String) -> URL { root.appending(path: name) }

    func start(_ key: String, _ options: [String] = []) throws {
        let isServer = key == SyncedFolders.server
        let data = root.path + "/data"
        let command =
            isServer
            ? ["caretd", "--data", data, "--listen", "127.0.0.1:0"]
            : ["caret", "sync", folder(key).path, "--data", data] + options
        // The outputs go to files, because a pipe could become full. A restarted process appends to them.
        processes[key] = try ChildProgram(
            [ChildProgram.path(of: command[0])] + command.dropFirst(), environment: Run.surroundings,
            output: .file(log(key, "output")), errors: .file(log(key, "errors")))
    }

    private func log(_ key: String, _ what: String) -> String {
        root.appending(path: "\(key).\(what)").path
    }

    /// The standard error of all processes with this key.
    func errorOutput(_ key: String) throws -> String {
        try String(contentsOf: root.appending(path: key + ".errors"), encoding: .utf8)
    }

    /// The last lines that the processes with this key printed.
    func lastOutput(_ key: String) throws -> String {
        return
            (try output(key).split(separator: "\n").suffix(6)
            + (try errorOutput(key)).split(separator: "\n").suffix(6))
            .joined(separator: "\n")
    }

    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits until a condition holds.
    func waits(until isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(30)
        while try !isTrue() {
            if ContinuousClock.now > end {
                let said = try processes.keys.sorted().map { "\($0): \(try lastOutput($0))" }
                throw TimedOut(description: said.joined(separator: "\n"))
            }
            usleep(10_000)
        }
    }

    /// Waits until a process ends by itself. Returns its status.
    func ended(_ key: String) throws -> Int32? {
        guard let process = processes[key] else { return nil }
        try waits { !process.isRunning }
        processes[key] = nil
        return process.waitForEnd()
    }

    /// The standard output of all processes with this key.
    func output(_ key: String) throws -> String {
        try String(contentsOf: root.appending(path: key + ".output"), encoding: .utf8)
    }

    func kill(_ key: String) {
        guard let process = processes.removeValue(forKey: key) else { return }
        process.kill(SIGKILL)
        process.waitForEnd()
    }

    /// The texts in a folder by path, without hidden files.
    func texts(in name: String) -> [String: String] {
        let base = folder(name)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        var texts: [String: String] = [:]
        for path in paths where !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
            texts[path] = try? String(contentsOf: base.appending(path: path), encoding: .utf8)
        }
        return texts
    }

    /// Saves a text in one of the three ways that editors use.
    func save(_ text: String, to path: String, in name: String, _ way: Int) throws {
        let file = folder(name).appending(path: path)
        switch way % 3 {
        case 0:
            let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o644)
            defer { close(descriptor) }
            let bytes = Array(text.utf8)
            guard write(descriptor, bytes, bytes.count) == bytes.count,
                ftruncate(descriptor, off_t(bytes.count)) == 0
            else { throw POSIXError(.EIO) }
        case 1: try text.write(to: file, atomically: true, encoding: .utf8)
        case _: try text.write(to: file, atomically: false, encoding: .utf8)
        }
    }

    deinit {
        for key in Array(processes.keys) { kill(key) }
        // If this fails, the folder stays in the temporary folder, which harms no test.
        try? FileManager.default.removeItem(at: root)
    }
}
