import CSQLite
import CZlib
import CaretConfig
import FoundationEssentials
import Glibc

/// `caret-bench all`: one report of everything that is measured, each part run as a process of its own.
struct WholeReport {
    /// What is run, and what it is about.
    private static let parts = [
        ("core", "The core: text, difference, rebase, selections"),
        ("wire", "The wire: lines and messages"),
        ("rooms", "An open document"),
        ("store", "The store"),
        ("server", "The server"),
    ]

    private var folder = "docs/report"
    private var isQuick = false

    /// Nil where the arguments are not those of the command.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--report":
                guard let path = rest.popFirst() else { return nil }
                folder = path
            default: return nil
            }
        }
    }

    /// False where a part has failed; the report is then left as it was.
    func run() -> Bool {
        let program = sure { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
        sure { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        setenv(Plot.variable, folder, 1)
        let options = isQuick ? " --quick" : ""
        var text = heading(command: "caret-bench all" + options)
        for (part, about) in WholeReport.parts {
            guard let printed = WholeReport.shown(by: "'\(program)' \(part)\(options)") else {
                print("caret-bench all: \(part) has failed; the report in \(folder) is as it was.")
                return false
            }
            text += "## \(about)\n\n" + pictures(of: part) + "```\n\(printed)```\n\n"
        }
        let path = folder + "/README.md"
        sure { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        print("The report is \(path).")
        return true
    }

    private func heading(command: String) -> String {
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: system.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let (sqlite, zlib) = (String(cString: sqlite3_libversion()), String(cString: zlibVersion()))
        return """
            # Figures

            Made by `\(command)`: run it, and this page is made anew. What the figures are compared with ran beside them, in
            turns, in the same run: ratios say more than figures, which are those of one machine.

            | | |
            | --- | --- |
            | Caret | \(Version.number) |
            | machine | \(Machine.processor), \(Machine.cores) cores, \(Machine.memory.megabytes) of memory |
            | system | Linux \(kernel); files on \(Machine.fileSystem(of: FileManager.default.temporaryDirectory.path)) |
            | built with | Swift \(Machine.compiler), SQLite \(sqlite), zlib \(zlib) |


            """
    }

    /// The pictures that a part has left, as Markdown.
    private func pictures(of part: String) -> String {
        let names = sure { try FileManager.default.contentsOfDirectory(atPath: folder) }
        let own = names.filter { $0.hasPrefix(part + "-") && $0.hasSuffix(".svg") }.sorted()
        return own.map { "![\($0.dropLast(4))](\($0))\n\n" }.joined()
    }

    /// What a command prints, which is shown as it comes; nil where it fails.
    private static func shown(by command: String) -> String? {
        printed(by: command) {
            print($0, terminator: "")
            fflush(nil)
        }
    }
}
