import Testing

/// The names allowed at the root of the repository, besides dot files.
enum TopLevelRule {
    static let allowed: Set = [
        "Package.swift", "Sources", "Tests", "Benchmarks", "Clients", "Examples", "migrations", "config",
        "docs", "scripts", "Dockerfile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
        "LICENSE",
    ]
    /// The data folder of a server that was started here. Git ignores it.
    static let ignored: Set = ["data"]

    static func violations(names: [String]) -> [Violation] {
        names.filter { !allowed.union(ignored).contains($0) }.map {
            Violation(path: $0, reason: "this name is not allowed at the root of the repository")
        }
    }
}

/// Paths that exist only on one machine.
enum MachinePathRule {
    // Written without the first slash, so that this line does not break the rule.
    static let folders = ["work", "home", "root", "Users"].map { "/\($0)/" }

    static func violations(in file: RepositoryFile) -> [Violation] {
        file.numberedLines.flatMap { line in
            folders.filter { holdsRoot($0, in: line.text) }.map {
                Violation(path: file.path, line: line.number, reason: "\($0) exists only on one machine")
            }
        }
    }

    /// A path begins at a slash without a name before it. So this finds nothing in `$folder/home/` or
    /// `example.org/home/`.
    private static func holdsRoot(_ folder: String, in line: Substring) -> Bool {
        line.ranges(of: folder).contains { range in
            guard let before = line[..<range.lowerBound].last else { return true }
            return !(before.isLetter || before.isNumber || "._-}*".contains(before))
        }
    }
}

@Suite("Files and paths in the repository")
struct LayoutTests {
    @Test("the root of the repository has only the files and folders of a list")
    func topLevel() throws {
        expectNone(TopLevelRule.violations(names: try Repository.topLevelNames()))
    }

    @Test("the rules check all Swift files of all targets, and no other files")
    func swiftFiles() throws {
        let files = try Repository.swiftFiles().map(\.path)
        #expect(files.filter { !$0.hasSuffix(".swift") } == [])
        let known = [
            "Benchmarks/caret-bench/Frame/CaretBench.swift", "Sources/CaretCore/Change.swift",
            "Tests/TidyTests/LayoutTests.swift",
        ]
        for path in known {
            #expect(files.contains(path))
        }
    }

    @Test("no file names a path that exists only on one machine")
    func noMachinePaths() throws {
        expectNone(try Repository.textFiles().flatMap(MachinePathRule.violations(in:)))
    }

    @Test("a file at the root that is not on the list is found")
    func strayName() {
        #expect(TopLevelRule.violations(names: ["README.md", "notes.txt"]).map(\.path) == ["notes.txt"])
    }

    @Test("a machine-specific path is found anywhere in a line", arguments: MachinePathRule.folders)
    func machinePath(folder: String) {
        for text in ["\(folder)x", "see `\(folder)x`", "let path = \"\(folder)x\"", "file://\(folder)x"] {
            #expect(MachinePathRule.violations(in: RepositoryFile(path: "README.md", text: text)).count == 1)
        }
    }

    @Test(
        "a folder name inside a longer path is not a machine-specific path",
        arguments: MachinePathRule.folders)
    func otherPath(folder: String) {
        for text in ["$root\(folder)x", "https://example.org\(folder)x", "${data}\(folder)x"] {
            #expect(MachinePathRule.violations(in: RepositoryFile(path: "README.md", text: text)).isEmpty)
        }
    }

    @Test("the rules find the files of the repository, but no build products")
    func repositoryIsRead() throws {
        let paths = try Repository.textFiles().map(\.path)
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains("scripts/test"))
        #expect(paths.contains("Tests/TidyTests/LayoutTests.swift"))
        #expect(!paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git") })
    }
}

/// Records each violation as an issue of its own, so that a run lists all of them.
func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
    for violation in violations {
        Issue.record("\(violation)", sourceLocation: sourceLocation)
    }
}
