import CSQLite
import CZlib
import CaretConfig
import FoundationEssentials
import Glibc

/// `caret-bench all`: one report on the whole of Caret. Each part runs in its own process.
struct WholeReport {
    /// The benchmarks that run, with their headings.
    private static let parts = [
        ("core", "The core: text, difference, rebase, selections"),
        ("wire", "The wire: lines and messages"),
        ("rooms", "An open document"),
        ("store", "The store"),
        ("server", "The server"),
        ("nodes", "Several servers over PostgreSQL"),
        ("growth", "Cost against growth"),
        ("web", "WebSocket, TLS and HTTP"),
        ("compare", "Compared with other servers"),
        ("command", "The command line on a long history"),
    ]

    private let folder: ReportFolder
    private let options: Options

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--report", "--python", "--against"]),
            options[Options.plots] == nil
        else { return nil }
        self.options = options
        folder = ReportFolder(options["--report"] ?? "docs/report")
    }

    /// Writes the report. If a part fails, this program ends and the old report stays unchanged.
    func run() {
        // Checks the programs first. Otherwise a missing program would be noticed minutes later.
        for name in ["caretd", "caret"] { _ = BenchServers.program(named: name) }
        do {
            try folder.begin()
            let page = try page()
            try folder.exchange(page: page, parts: WholeReport.parts.map(\.0))
        } catch {
            CaretBench.end(1, "caret-bench all: \(error)")
        }
        print("The report is \(folder.path)/README.md.")
    }

    private func page() throws -> String {
        var text = heading
        for (part, about) in WholeReport.parts {
            let printed = try printed(by: part)
            let pictures = try folder.pictures(of: part).map { "![\($0.dropLast(4))](\($0))\n\n" }.joined()
            text += "## \(about)\n\n" + pictures + "```\n\(printed)```\n\n"
        }
        return text
    }

    private var heading: String {
        let command = "caret-bench all" + (options.isQuick ? " --quick" : "")
        let (sqlite, zlib) = (String(cString: sqlite3_libversion()), String(cString: zlibVersion()))
        return """
            # Figures

            Made by `\(command)`: running this command again replaces the page.
            The code that a figure is compared with ran in the same run, in turns.
            So a ratio says more than a figure, which depends on the machine.

            | | |
            | --- | --- |
            | Caret | \(Version.number) |
            | machine | \(Machine.processor), \(Machine.cores) cores, \(Machine.memory.megabytes) of memory |
            | system | Linux \(Machine.kernel); files on \(Machine.fileSystem(of: FileManager.default.temporaryDirectory.path)) |
            | built with | Swift \(Machine.compiler), SQLite \(sqlite), zlib \(zlib) |


            """
    }

    /// Runs a part and returns its output, which is also shown as it comes.
    private func printed(by part: String) throws -> String {
        // Uses the path with which this program was called.
        var words = [CommandLine.arguments[0], part]
        if options.isQuick { words.append("--quick") }
        if part == "compare", let python = options["--python"] { words += ["--python", python] }
        if ["compare", "server"].contains(part), let earlier = options["--against"] {
            words += ["--against", earlier]
        }
        words += [Options.plots, folder.draft]
        let text = caret_bench.printed(by: words.map(quoted).joined(separator: " ")) {
            print($0, terminator: "")
            fflush(nil)
        }
        if let text { return text }
        folder.drop()
        throw ReportFolder.Failure(
            description: "\(part) failed; the report in \(folder.path) is unchanged")
    }
}
