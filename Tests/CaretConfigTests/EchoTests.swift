import CaretConfig
import CaretWire
import Testing

@Suite("Input that error messages repeat") struct EchoTests {
    @Test("an echoed text is cut at the limit, and an ellipsis marks the cut")
    func limit() {
        let longest = "abc" + String(repeating: "é", count: Limits.echo - 3)
        #expect(longest.echoed == "\"\(longest)\"")
        #expect((longest + "z").echoed == "\"\(longest)…\"")
    }

    @Test("characters that disturb a terminal are shown as question marks")
    func controls() {
        #expect("a\u{1B}[m\u{202E}\nb".echoed == "\"a?[m??b\"")
    }
}
