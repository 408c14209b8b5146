import Foundation
import TestSupport
import Testing

@Suite(
    "The report of `caret-bench all`",
    // The benchmarks replace malloc to count allocations, which does not work with a sanitizer.
    .enabled(if: ProcessInfo.processInfo.environment["CARET_SANITIZER"] == nil),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: ChildProgram.path(of: "caret-bench")),
        "caret-bench is not built: swift build -c release --package-path Benchmarks --scratch-path .build"))
struct ReportTests {
    /// A folder with an old report, and a script in place of the benchmarks.
    private final class Bench {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (path, text) in ReportTests.old {
                let file = folder.appending(path: "report/" + path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
        }

        deinit {
            // If this fails, the folder stays in the temporary folder, which harms no test.
            try? FileManager.default.removeItem(at: folder)
        }

        /// Runs `all`. Each part prints its arguments, draws one picture, and then runs the commands of
        /// `part`.
        func run(_ options: String, each part: String = "") throws -> Run {
            let script = """
                #!/bin/sh
                while [ "$1" != --plots ]; do said="$said $1"; [ "$name" ] || name=$1; shift; done
                echo "measured$said"
                echo "<svg/>" >"$2/$name-picture.svg"
                \(part)
                """
            // Bash writes the script. If this process wrote it, a program that another test starts at that moment could
            // still have it open for writing, and then it could not be executed.
            let commands = """
                cd '\(folder.path)' && printf %s "$0" >parts && chmod 755 parts
                exec -a ./parts '\(ChildProgram.path(of: "caret-bench"))' all \(options)
                """
            return try Run("/bin/bash", ["-c", commands, script], environment: [:])
        }

        /// The files in the folder, without the script.
        func files() throws -> [String: String] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return paths.filter { $0 != "parts" }.reduce(into: [:]) { files, path in
                // `contents` returns nil for a folder.
                guard let data = FileManager.default.contents(atPath: folder.path + "/" + path) else {
                    return
                }
                files[path.replacing("report/", with: "")] = String(decoding: data, as: UTF8.self)
            }
        }
    }

    private static let old = [
        "README.md": "# Old\n", "server-gone.svg": "<svg>old</svg>", "core-picture.svg": "<svg>old</svg>",
        "notes/mine.txt": "kept\n",
    ]

    @Test("a new report replaces the old report and its outdated pictures")
    func exchanged() throws {
        let bench = try Bench()
        let run = try bench.run("--quick --report report")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
        let files = try bench.files()
        let parts = [
            "core", "wire", "rooms", "store", "server", "nodes", "growth", "web", "compare", "command",
        ]
        #expect(
            Set(files.keys) == Set(parts.map { $0 + "-picture.svg" } + ["README.md", "notes/mine.txt"]))
        #expect(files["core-picture.svg"] == "<svg/>\n" && files["notes/mine.txt"] == "kept\n")
        var rest = try #require(files["README.md"])[...]
        for part in parts {
            let section = "![\(part)-picture](\(part)-picture.svg)\n\n```\nmeasured \(part) --quick\n```\n"
            let place = try #require(
                rest.firstRange(of: section), "\(part) does not follow the part before it")
            rest = rest[place.upperBound...]
        }
    }

    @Test("if a part fails, the report stays unchanged and no files are left")
    func failing() throws {
        let bench = try Bench()
        let run = try bench.run("--report report", each: "[ $name != compare ]")
        #expect(run.status == 1)
        #expect(
            run.errors == "caret-bench all: compare failed; the report in report is unchanged\n")
        #expect(try bench.files() == Self.old)
    }

    @Test("files of an interrupted run are not part of the next report")
    func ended() throws {
        let bench = try Bench()
        let left = bench.folder.appending(path: "report.new")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try "<svg>half</svg>".write(
            to: left.appending(path: "core-half.svg"), atomically: true, encoding: .utf8)
        let run = try bench.run("--report report/")
        #expect(run.status == 0 && run.output.hasSuffix("The report is report/README.md.\n"))
        let files = try bench.files()
        #expect(files["core-half.svg"] == nil && files["core-picture.svg"] == "<svg/>\n")
        #expect(!files.keys.contains { $0.hasPrefix("report.new") })
    }

    @Test("only the part `compare` gets the option --python")
    func python() throws {
        let bench = try Bench()
        #expect(try bench.run("--report report --python '/a b/python'").status == 0)
        let page = try #require(try bench.files()["README.md"])
        #expect(page.contains("measured compare --python /a b/python\n"))
        #expect(page.contains("measured command\n") && page.contains("Made by `caret-bench all`: "))
    }

    @Test("the heading shows the command line without the machine's paths")
    func typed() throws {
        let run = try Run(
            ChildProgram.path(of: "caret-bench"), ["server", "--folder", "/a/b", "--plots", "/a", "no/case"],
            environment: [:])
        #expect(run.output.hasPrefix("caret-bench server --folder b no/case · "), "\(run.output)")
    }
}
