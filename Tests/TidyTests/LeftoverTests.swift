import Testing

/// Words that mark unfinished work.
enum LeftoverRule {
    // Written in two halves, so that this line does not break the rule.
    static let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

    static func violations(in file: RepositoryFile) -> [Violation] {
        guard isSource(file.path) else { return [] }
        return file.numberedLines.flatMap { line in
            marks.filter { line.text.holdsWord($0) }.map {
                Violation(path: file.path, line: line.number, reason: "\($0) marks unfinished work")
            }
        }
    }

    /// Whether the rule checks the file. It does not check data, because a fixture may contain any word.
    private static func isSource(_ path: String) -> Bool {
        !path.hasPrefix("Tests/Fixtures/") || path.hasSuffix(".md")
    }
}

/// Calls that end the process without naming the broken invariant.
enum TrapRule {
    private static let traps: [(words: [String], spelling: String)] = [
        (["try", "!"], "try" + "!"), (["as", "!"], "as" + "!"), (["fatalError", "("], "fatalError"),
    ]

    /// Checks product code and benchmarks. A test may trap.
    static func violations(in file: RepositoryFile) -> [Violation] {
        guard !file.path.hasPrefix("Tests/") else { return [] }
        let source = SwiftSource(file.text)
        return traps.flatMap { trap in
            source.lines(of: trap.words, attached: true).map {
                Violation(path: file.path, line: $0, reason: "\(trap.spelling) is allowed only in tests")
            }
        }
    }
}

/// Starts of programs that could pass on descriptors, or that crash.
enum ProgramRule {
    private static let starts: [(words: [String], spelling: String)] = [
        (["Process", "("], "Process()"), (["posix_spawn", "("], "posix_spawn"),
        (["posix_spawnp", "("], "posix_spawnp"),
    ]

    static func violations(in file: RepositoryFile) -> [Violation] {
        guard file.path.hasPrefix("Tests/"), file.path != "Tests/TestSupport/ChildProgram.swift" else {
            return []
        }
        let source = SwiftSource(file.text)
        return starts.flatMap { start in
            source.lines(of: start.words, attached: true).map {
                Violation(path: file.path, line: $0, reason: "use ChildProgram, not \(start.spelling)")
            }
        }
    }
}

extension StringProtocol {
    /// Whether the word occurs without a letter, digit or underscore beside it.
    func holdsWord(_ word: String) -> Bool {
        ranges(of: word).contains { range in
            let before = self[..<range.lowerBound].last
            let after = self[range.upperBound...].first
            return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
        }
    }
}

@Suite("Marks of unfinished work, and traps in product code")
struct LeftoverTests {
    @Test("no file has a mark of unfinished work")
    func noMarks() throws {
        expectNone(try Repository.textFiles().flatMap(LeftoverRule.violations(in:)))
    }

    @Test("product code traps only with the name of a broken invariant")
    func noTraps() throws {
        expectNone(try Repository.swiftFiles().flatMap(TrapRule.violations(in:)))
    }

    @Test("tests start programs in one way")
    func oneStart() throws {
        expectNone(try Repository.swiftFiles().flatMap(ProgramRule.violations(in:)))
        let other = RepositoryFile(path: "Tests/A.swift", text: "let a = Process()\nServerProcess()")
        #expect(ProgramRule.violations(in: other).map(\.line) == [1])
    }

    @Test("a mark of unfinished work is found in every kind of file", arguments: LeftoverRule.marks)
    func markIsFound(mark: String) {
        for path in [
            "Sources/A.swift", "scripts/run", "a.c", "a.mjs", "README.md", "Tests/Fixtures/README.md",
        ] {
            let file = RepositoryFile(path: path, text: "first\n// \(mark): grow")
            #expect(LeftoverRule.violations(in: file).map(\.line) == [2])
        }
    }

    @Test("longer words and fixtures may contain a mark of unfinished work")
    func otherWords() {
        let words = LeftoverRule.marks.map { "\($0)S and tree_\($0)" }.joined(separator: "\n")
        #expect(LeftoverRule.violations(in: RepositoryFile(path: "README.md", text: words)).isEmpty)
        let fixture = RepositoryFile(path: "Tests/Fixtures/diff.json", text: LeftoverRule.marks[0])
        #expect(LeftoverRule.violations(in: fixture).isEmpty)
    }

    @Test(
        "a trap in product code is found", arguments: ["try! grow()", "tree as! Oak", "fatalError(\"fell\")"])
    func trapIsFound(text: String) {
        #expect(TrapRule.violations(in: RepositoryFile(path: "Sources/Tree.swift", text: text)).count == 1)
        #expect(TrapRule.violations(in: RepositoryFile(path: "Tests/Tree.swift", text: text)).isEmpty)
    }

    @Test(
        "a named invariant, a comment and a string do not count as traps",
        arguments: [
            "preconditionFailure(\"fell\")", "try grow() != 1", "// try! grow()", "print(\"as! Oak\")",
        ]
    )
    func noTrap(text: String) {
        #expect(TrapRule.violations(in: RepositoryFile(path: "Sources/Tree.swift", text: text)).isEmpty)
    }
}
