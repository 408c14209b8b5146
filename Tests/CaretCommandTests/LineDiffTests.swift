import CaretCommand
import CaretCore
import Testing

@Suite("Differences between two texts, line by line") struct LineDiffTests {
    private func page(_ old: String, _ new: String, _ style: Style = .plain) throws -> String {
        let (old, new) = (try TextBuffer(old), try TextBuffer(new))
        let change = diff(from: old, to: new)
        let lines = try LineDiff(from: old, to: new, by: change)
        let patch = Patch(lines, from: "a", to: "b")
        let page = DiffPage(patch, style: style, isForUsers: style.isColored).text
        if style == .plain { #expect(patch.text == page) }
        return page
    }

    @Test("the difference of equal texts is empty", arguments: ["", "a", "a\n"])
    func equal(text: String) throws { #expect(try page(text, text) == "") }

    @Test(
        "a difference is printed as a patch",
        arguments: [
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n"), ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            ("a\nb\n", "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n"),
            ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
            (
                "a\nb", "a\nb\nc",
                "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"
            ),
            ("one two\n", "one 2\n", "@@ -1 +1 @@\n-one two\n+one 2\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nx\n3\n4\n5\n6\n7\ny\n9\n",
                "@@ -1,9 +1,9 @@\n 1\n-2\n+x\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n"
            ),
        ])
    func patches(old: String, new: String, hunks: String) throws {
        #expect(try page(old, new) == "--- a\n+++ b\n" + hunks)
    }

    @Test("distant changes are separate hunks")
    func hunks() throws {
        let old = (1...40).map { "\($0)\n" }.joined()
        let text = try page(old, old.replacing("\n5\n", with: "\nfive\n").replacing("\n30\n", with: "\n"))
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("@@") } == [
                "@@ -2,7 +2,7 @@", "@@ -27,7 +27,6 @@",
            ])
    }

    @Test("`diff` colours changed words, and shows control characters as symbols")
    func colors() throws {
        let text = try page("one two six\u{1B}[2J\n", "one 2 six\u{1B}[2J\n", Style(isColored: true))
        let lines = text.split(separator: "\n").map { $0.replacing("\u{1B}[", with: "^") }
        #expect(lines[3] == "^31m-^0m^31mone ^0m^31;7mtwo^0m^31m six␛[2J^0m")
        #expect(lines[4] == "^32m+^0m^32mone ^0m^32;7m2^0m^32m six␛[2J^0m")
    }

    @Test("the edit of a change is shown as added or removed lines")
    func edits() throws {
        let old = try TextBuffer("a\nb\nc\n")
        for (range, new, hunk) in [
            (1..<1, "\nx", "@@ -1,3 +1,4 @@\n a\n+x\n b\n c\n"), (1..<3, "", "@@ -1,3 +1,2 @@\n a\n-b\n c\n"),
        ] {
            let change = try Change([try Edit(Offset(range.lowerBound)..<Offset(range.upperBound), new)])
            let lines = try LineDiff(from: old, to: try old.applying(change), by: change)
            #expect(Patch(lines, from: "a", to: "b").text == "--- a\n+++ b\n" + hunk)
        }
    }
}
