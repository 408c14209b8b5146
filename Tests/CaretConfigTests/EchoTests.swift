import CaretConfig
import CaretWire
import Testing

@Suite("Echoed texts") struct EchoTests {
    @Test("a text is cut to the limit")
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
