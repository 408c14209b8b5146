import FoundationEssentials
import Glibc

/// Starts the servers of the benchmarks, each with its own data folder.
final class BenchServers {
    private let program: String
    private let base: BenchFolder
    /// True to leave out the servers in C.
    private let isAlone: Bool
    private var made = 0

    init(program: String, base: BenchFolder, isAlone: Bool) {
        self.program = program
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

    /// Starts `caretd` with this crowd. Unless `--alone` leaves out the servers in C, also starts these, each
    /// with a crowd of the same size.
    func started(_ crowd: Crowd) -> [MeasuredServer] {
        let own = caretd(with: crowd)
        if isAlone { return [own] }
        return [own]
            + [NetServer.lean, .bare].map { kind in
                let name = kind.rawValue
                let server = ServerProcess(kind, database: folder(name) + "/\(name).sqlite")
                return MeasuredServer(name, server, .bare, crowd)
            }
    }

    func caretd(with crowd: Crowd) -> MeasuredServer {
        MeasuredServer("caretd", caretd(data: folder("caretd")), .caret, crowd)
    }

    func caretd(data: String, options: [String] = []) -> ServerProcess {
        let server = ServerProcess(caretd: program, data: data, options: options)
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
