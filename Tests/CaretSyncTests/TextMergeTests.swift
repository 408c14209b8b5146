import CaretCore
import CaretSync
import TestSupport
import Testing

@Suite("Merged texts") struct TextMergeTests {
    @Test(
        "if you and others add a line at one place, the others' line is first",
        arguments: [
            ("1\nmine\n2\n", "1\ntheirs\n2\n", "1\ntheirs\nmine\n2\n"), ("1\n2\n", "1\nx\n2\n", "1\nx\n2\n"),
            ("1\nx\n2\n", "1\n2\n", "1\nx\n2\n"), ("1\nx\n2\n", "1\nx\n2\n", "1\nx\n2\n"),
            ("0\n1\n2\n", "1\n2\n3\n", "0\n1\n2\n3\n"), ("1\n", "1\n2\n3\n", "1\n3\n"),
            // Both sides added one line, and another line each.
            ("1\nx\n2\nmine\n", "theirs\n1\nx\n2\n", "theirs\n1\nx\n2\nmine\n"),
        ])
    func merged(own: String, other: String, merged: String) throws {
        #expect(try TextMerge.merged(base: "1\n2\n", own: own, other: other) == merged)
    }
}
