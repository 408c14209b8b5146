import FoundationEssentials
import Glibc

/// Where the benchmarks of the server get their servers from, each with a data folder of its own.
final class BenchServers {
    private let program: String
    private let base: BenchFolder
    /// Without the bare server.
    private let isAlone: Bool
    private var made = 0

    init(program: String, base: BenchFolder, isAlone: Bool) {
        self.program = program
        self.base = base
        self.isAlone = isAlone
    }

    /// Built beside this program; nil where it has not been built.
    private static var program: String? {
        let own = sure { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
        let program = URL(filePath: own).deletingLastPathComponent().path + "/caretd"
        return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }

    /// Ends this program where the server has not been built.
    static var found: String {
        if let program { return program }
        let told = Array(
            "caret-bench: there is no caretd beside this program; swift build builds both\n".utf8)
        write(STDERR_FILENO, told, told.count)
        exit(69)
    }

    /// `caretd` with such a crowd and, but where that is left out, the bare server with another.
    func started(_ crowd: Crowd) -> [ServerSide] {
        let own = caretd(with: crowd)
        if isAlone { return [own] }
        let database = folder("bare") + "/bare.sqlite"
        return [own, ServerSide("bare", ServerProcess(.bare, database: database), .bare, crowd)]
    }

    func caretd(with crowd: Crowd) -> ServerSide {
        ServerSide("caretd", caretd(data: folder("caretd")), .caret, crowd)
    }

    func caretd(data: String) -> ServerProcess {
        let server = ServerProcess(caretd: program, data: data)
        if isAlone {
            print("caretd is process \(server.process)")
            // It is read while the server is at work.
            fflush(nil)
        }
        return server
    }

    func folder(_ name: String) -> String {
        made += 1
        return base.made("\(name)-\(made)")
    }
}
