import FoundationEssentials
import Glibc

/// Starts the servers of the benchmarks, each with its own data folder.
final class BenchServers {
    private let program: String
    /// Another build of `caretd`, to compare with.
    private let earlier: String?
    private let base: BenchFolder
    /// True to leave out the servers in C.
    private let isAlone: Bool
    private var made = 0

    init(program: String, against earlier: String? = nil, base: BenchFolder, isAlone: Bool) {
        self.program = program
        self.earlier = earlier
        self.base = base
        self.isAlone = isAlone
    }

    /// The path of a program built next to this one. Ends this program if it is missing.
    static func program(named name: String) -> String {
        let own = mustSucceed { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
        let program = URL(filePath: own).deletingLastPathComponent().path + "/" + name
        if FileManager.default.isExecutableFile(atPath: program) { return program }
        CaretBench.end(
            69,
            "caret-bench: there is no \(name) next to this program; build it: swift build -c release --product \(name)"
        )
    }

    /// The names of the servers that `started` starts with these servers in C.
    func names(_ kinds: [NetServer]) -> [String] {
        ["caretd"] + (earlier == nil ? [] : ["earlier"]) + (isAlone ? [] : kinds.map(\.rawValue))
    }

    /// Starts `caretd` with this crowd, the earlier build if there is one, and unless `--alone` leaves them out, these
    /// servers in C, each with a crowd of the same size.
    func started(_ crowd: Crowd, _ kinds: [NetServer]) -> [MeasuredServer] {
        names(kinds).map { name in
            if let kind = kinds.first(where: { $0.rawValue == name }) {
                let server = ServerProcess(kind, database: folder(name) + "/\(name).sqlite")
                return MeasuredServer(name, server, .bare, crowd)
            }
            return caretd(with: crowd, name: name, program: name == "earlier" ? earlier : nil)
        }
    }

    func caretd(with crowd: Crowd, name: String = "caretd", program: String? = nil) -> MeasuredServer {
        MeasuredServer(name, caretd(data: folder(name), program: program), .caret, crowd)
    }

    /// Starts `caretd`, or this build of it.
    func caretd(data: String, options: [String] = [], program other: String? = nil) -> ServerProcess {
        let server = ServerProcess(caretd: other ?? program, data: data, options: options)
        if isAlone {
            print("caretd is process \(server.process)")
            // Without the flush, a user who pipes the output would see the process number only at the end.
            fflush(nil)
        }
        return server
    }

    func folder(_ name: String) -> String {
        made += 1
        return base.makeFolder("\(name)-\(made)")
    }
}
