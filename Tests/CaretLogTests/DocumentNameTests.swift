import CaretLog
import Testing

@Suite("Document names") struct DocumentNameTests {
    /// Rule T1.
    @Test(
        "names that the protocol allows are kept unchanged",
        arguments: [
            "a", "notes/today", "…/é", "a b/c.d", ".hidden", "a/...", String(repeating: "x", count: 512),
            "!~", "\u{A0}a", "a\u{C0}",
        ])
    func goodNames(name: String) throws {
        #expect(try Array(DocumentName(name).description.utf8) == Array(name.utf8))
    }

    /// Rule T1.
    @Test(
        "an invalid name is refused with a reason",
        arguments: [
            ("", .empty), (String(repeating: "x", count: 513), .tooLong(bytes: 513)), ("/a", .badPart(0)),
            ("a/", .badPart(1)), ("a//b", .badPart(1)), ("a/./b", .badPart(1)), ("..", .badPart(0)),
            ("a\u{0}", .control(at: 1)), ("a/b\u{1F}", .control(at: 3)), ("\u{7F}", .control(at: 0)),
            ("é\u{85}", .control(at: 2)), ("\u{80}", .control(at: 0)), ("a\u{9F}", .control(at: 1)),
            ("a/ b", .spaceAtEdge(part: 1)), ("a /b", .spaceAtEdge(part: 0)),
        ] as [(String, DocumentName.Fault)])
    func badNames(name: String, fault: DocumentName.Fault) {
        #expect(throws: fault) { try DocumentName(name) }
    }

    /// Rule T2.
    @Test("names are compared and sorted by their bytes")
    func byteOrder() throws {
        let (composed, decomposed) = (try DocumentName("é"), try DocumentName("e\u{301}"))
        #expect(composed != decomposed && decomposed < composed)
        // U+E000 comes before U+10000 in UTF-8 and by scalars, but after U+10000 in UTF-16.
        #expect(try DocumentName("\u{E000}") < DocumentName("\u{10000}"))
        #expect(try DocumentName("a/b") < DocumentName("aa"))
    }
}
