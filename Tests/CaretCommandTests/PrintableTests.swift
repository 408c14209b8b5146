import CaretCommand
import CaretSync
import Testing

@Suite("Untrusted text on a terminal") struct PrintableTests {
    @Test(
        "visible signs replace control characters, and other characters stay",
        arguments: [
            ("plain é 本 😀\tx", "plain é 本 😀\tx"), ("\u{1B}]0;x\u{7}", "␛]0;x␇"), ("a\r\nb", "a␍␊b"),
            ("\0\u{1F}\u{7F}", "␀␟␡"), ("\u{80}\u{9B}\u{9F}", "<U+0080><U+009B><U+009F>"),
            ("\u{202A}\u{202E}", "<U+202A><U+202E>"), ("\u{2066}\u{2069}", "<U+2066><U+2069>"),
            // The characters just outside of the replaced ranges.
            ("\u{A0}\u{2029}\u{202F}\u{2065}\u{206A}", "\u{A0}\u{2029}\u{202F}\u{2065}\u{206A}"),
        ])
    func printable(text: String, shown: String) {
        #expect(text.printable.unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test("a text keeps line breaks; a field shows tabs and line breaks as signs")
    func others() {
        #expect("a\n\u{1B}\r\n".printableLines == "a\n␛␍\n")
        #expect("a\tb\n\u{202E}c\u{9B}".field == "a␉b␊\u{202E}c<U+009B>")
    }

    @Test("a row of a table stays on one line, whatever its fields contain")
    func table() {
        var table = Table([.init("NAME"), .init("N", isNumber: true)])
        table.add(["a\tb\nc\u{202E}\u{1B}", "1"])
        #expect(table.plain == "a␉b␊c\u{202E}␛\t1\n")
        #expect(table.text(on: Screen(columns: 80), .plain, titled: false) == "a␉b␊c<U+202E>␛  1\n")
    }

    @Test("reports of `sync` show control characters in user names as signs")
    func users() {
        let report = SyncReport.written(revision: 2, by: ["a\u{1B}[2J", "\u{202E}b"])
        #expect(report.line("f", .plain) == "f ← revision 2 by a␛[2J, <U+202E>b")
    }
}
