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

    /// Rule T8.
    @Test(
        "a new name has no invisible characters, except joiners between visible characters beyond ASCII",
        arguments: [
            ("a", nil), ("a b/c", nil), ("\u{A0}", nil), ("می\u{200C}خواهم", nil), ("क्\u{200D}ष", nil),
            ("👩\u{200D}❤\u{FE0F}\u{200D}👨", nil), ("plan ❤\u{FE0F}", nil), ("🏳\u{FE0F}\u{200D}🌈/x", nil),
            ("\u{200B}", 0), ("a\u{200B}b", 1), ("a\u{AD}", 1), ("é\u{FEFF}", 2), ("a\u{202E}b", 1),
            ("a\u{2028}", 1), ("a\u{2029}", 1), ("a\u{FFF9}", 1), ("\u{3164}", 0), ("a\u{E0041}", 1),
            ("\u{200D}", 0), ("a\u{200D}b", 1), ("é\u{200C}", 2), ("é\u{200D}a", 2), ("a\u{FE0F}", 1),
            ("❤\u{FE0F}\u{FE0F}", 6), ("é\u{200D}\u{200D}é", 2), ("é\u{200D}/é", 2), ("\u{200B}\u{FE0F}", 0),
        ] as [(String, Int?)])
    func invisible(name: String, byte: Int?) throws {
        #expect(try DocumentName(name).newNameFault == byte.map { .invisible(at: $0) })
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
