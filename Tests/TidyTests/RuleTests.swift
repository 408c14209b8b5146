import Testing

/// The numbered rules of docs/protocol/semantics.md.
@Suite("The rules of the protocol") struct RuleTests {
    /// The numbers of the rules of the page, in its order.
    private static func rules() throws -> [String] {
        let page = try Repository.textFiles().first { $0.path == "docs/protocol/semantics.md" }
        return rules(in: try #require(page).text)
    }

    private static func rules(in text: String) -> [String] {
        text.matches(of: /- \*\*([A-Z]\d+)\*\*/).map { String($0.1) }
    }

    /// The rules that a text names, as in "rule P3" or "rules P3, P4 and S1".
    private static func citations(in text: String) -> Set<String> {
        let lists = text.matches(of: /\b[Rr]ules? ([A-Z]\d+(?:,? (?:and |or )?[A-Z]\d+)*)/)
        return Set(lists.flatMap { $0.1.matches(of: /[A-Z]\d+/).map { String($0.0) } })
    }

    @Test("each rule has a number of its own, in order")
    func numbers() throws {
        let rules = try Self.rules()
        #expect(rules.count > 90)
        #expect(Set(rules).count == rules.count)
        for (rule, next) in zip(rules, rules.dropFirst()) where rule.first == next.first {
            #expect(Int(next.dropFirst()) == Int(rule.dropFirst()).map { $0 + 1 }, "\(next) after \(rule)")
        }
    }

    @Test("each rule is cited by a test")
    func cited() throws {
        let tests = try Repository.textFiles().filter { $0.path.hasPrefix("Tests/") }
        let cited = tests.reduce(into: Set<String>()) { $0.formUnion(Self.citations(in: $1.text)) }
        for rule in try Self.rules() {
            #expect(cited.contains(rule), "no test cites rule \(rule)")
        }
    }

    @Test("each rule that is cited exists")
    func exist() throws {
        let rules = Set(try Self.rules())
        for file in try Repository.textFiles() where !file.path.hasSuffix("RuleTests.swift") {
            let unknown = Self.citations(in: file.text).subtracting(rules)
            #expect(unknown.isEmpty, "\(file.path): \(unknown)")
        }
    }

    @Test("citations of rules are found in a text")
    func finding() {
        #expect(Self.citations(in: "rules P3, P4 and S1; rule L12") == ["P3", "P4", "S1", "L12"])
        #expect(Self.citations(in: "the rule of P3") == [])
        #expect(Self.rules(in: "- **A1** x\n  - **B2**\n**C3**") == ["A1", "B2"])
    }
}
