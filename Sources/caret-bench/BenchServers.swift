import FoundationEssentials
import Glibc

/// Where the benchmarks of the server get their servers from, each with a data folder of its own.
final class BenchServers {
    /// The program, which is built beside this one.
    let caretd: String
    private let base: BenchFolder
    /// Without the bare server.
    private let isAlone: Bool
    private var made = 0

    init(caretd: String, base: BenchFolder, isAlone: Bool) {
        self.caretd = caretd
        self.base = base
        self.isAlone = isAlone
    }

    /// Nil where it has not been built.
    static var program: String? {
        let own = sure { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
        let program = URL(filePath: own).deletingLastPathComponent().path + "/caretd"
        return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }

    /// `caretd` with such a crowd and, but where that is left out, the bare server with another.
    func started(_ crowd: Crowd) -> [ServerSide] {
        let own = ServerSide("caretd", ServerProcess(caretd: caretd, data: folder("caretd")), .caret, crowd)
        if isAlone {
            print("caretd is process \(own.server.process)")
            // It is read while the server is at work.
            fflush(nil)
            return [own]
        }
        let database = folder("bare") + "/bare.sqlite"
        return [own, ServerSide("bare", ServerProcess(.bare, database: database), .bare, crowd)]
    }

    func folder(_ name: String) -> String {
        made += 1
        return base.made("\(name)-\(made)")
    }
}
