import Testing

/// A function, initializer, subscript or accessor must not be longer than the limit.
enum LengthRule {
    static let maximumLines = 60

    static func violations(in file: RepositoryFile) -> [Violation] {
        let found = FunctionBodies(in: SwiftSource(file.text))
        guard found.bracesBalance else {
            return [Violation(path: file.path, reason: "braces do not balance, so no body can be measured")]
        }
        return found.bodies.filter { $0.length > maximumLines }.map {
            let reason = "the body of \($0.name) has \($0.length) lines; the limit is \(maximumLines)"
            return Violation(path: file.path, line: $0.line, reason: reason)
        }
    }
}

@Suite("The length limit of function bodies")
struct LengthTests {
    @Test("no function body is longer than the limit")
    func bodiesAreShort() throws {
        expectNone(try Repository.swiftFiles().flatMap(LengthRule.violations(in:)))
    }

    @Test(
        "a function body of 60 lines is allowed, and one of 61 is found",
        arguments: [
            "func grow<T>(_ x: [T] = { [] }()) throws -> T where T: Equatable {⏎…⏎}",
            "struct Tree {⏎ init?(leaf: Int) {⏎…⏎}⏎}",
            "deinit {⏎…⏎}",
            "subscript(index: Int) -> Int {⏎…⏎}",
            "var height: Int {⏎…⏎}",
            "var height: Int {⏎@inlinable get { 1 }⏎set(other) {⏎…⏎}⏎}",
            "var height = 1 {⏎ didSet {⏎…⏎}⏎}",
            "func `a } in a name`() {⏎…⏎}",
            "func text() {⏎ let brace = \"}\", other = #\"\\(\"}\"#⏎/* } */ // }⏎…⏎}",
        ])
    func maximumLines(text: String) {
        // The body of the text with a comment already has two lines, so only 58 more lines fit.
        let own = text.contains("/*") ? 2 : 0
        #expect(reasons(text, lines: 60 - own) == [])
        #expect(reasons(text, lines: 61 - own).count == 1)
    }

    @Test(
        "types, literals, comments, closures and protocols may be long",
        arguments: [
            "struct Tree {⏎…⏎}", "let rows = [⏎…⏎]", "let text = \"\"\"⏎…⏎\"\"\"", "/*⏎…⏎*/",
            "var rows: [Int] = {⏎…⏎}()", "protocol Tree {⏎ func grow()⏎}⏎extension Tree {⏎…⏎}",
        ])
    func otherBraces(text: String) {
        #expect(reasons(text, lines: 200) == [])
    }

    @Test("an exhaustive switch may be longer if each case has at most 5 lines")
    func shortCases() {
        #expect(reasons(choice(caseLines: 5, end: "")) == [])
        #expect(reasons(choice(caseLines: 6, end: "")).count == 1)
    }

    @Test("a long switch with a default case is found", arguments: ["default: no()", "case _: no()"])
    func defaultCase(end: String) {
        #expect(reasons(choice(caseLines: 5, end: end)).count == 1)
    }

    @Test("`case` in a pattern inside a case does not begin a new case")
    func patternInCase() {
        let pattern = "if case .leaf = tree, case .root = other { grow() }"
        #expect(reasons(choice(caseLines: 5, end: "", first: pattern)) == [])
        #expect(reasons(choice(caseLines: 6, end: "", first: pattern)).count == 1)
    }

    @Test(
        "a source file whose braces do not balance is found",
        arguments: ["func a() {", "}", "func a() { \"\\({})\" } }"])
    func unbalanced(text: String) {
        #expect(reasons(text).count == 1)
    }

    /// In the text, `⏎` is a line break and `…` stands for `lines` lines of code.
    private func reasons(_ text: String, lines: Int = 0) -> [String] {
        let filler = Array(repeating: "grow()", count: lines).joined(separator: "\n")
        let source = text.replacing("⏎", with: "\n").replacing("…", with: filler)
        return LengthRule.violations(in: RepositoryFile(path: "Tree.swift", text: source)).map(\.reason)
    }

    /// A function with a switch of 20 cases, each with `caseLines` lines, and comments between the cases.
    private func choice(caseLines: Int, end: String, first: String = "grow()") -> String {
        let body = [first] + Array(repeating: "grow()", count: caseLines - 2)
        let cases = (0..<20).map { "case .number\($0):\n" + body.joined(separator: "\n") + "\n\n// Words.\n" }
        return "func grow() {\nswitch tree {\n" + cases.joined() + end + "\n}\n}"
    }
}
