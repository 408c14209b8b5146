import CaretCommand
import CaretCore
import CaretWire
import Foundation
import TestSupport
import Testing

@Suite("Positions in the texts of editors") struct EditorTextTests {
    /// A random text with short lines.
    private func text(_ random: inout Seeded) -> String {
        let letters = ["a", "é", "😀", "\n", "\n"]
        return (0..<Int.random(in: 0...8, using: &random))
            .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }

    /// The lines that an editor shows of a text. It always shows at least one line.
    private func lines(_ text: String) -> [String] {
        var lines = text.components(separatedBy: "\n")
        if lines.count > 1, lines.last == "" { lines.removeLast() }
        return lines
    }

    @Test("after any change of lines, the document has the lines of the editor")
    func changes() throws {
        for seed in 0..<5_000 as Range<UInt64> {
            var random = Seeded(seed)
            let old = text(&random)
            var shown = lines(old)
            let first = Int.random(in: 0...shown.count, using: &random)
            let count = Int.random(in: 0...shown.count - first, using: &random)
            let new = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                text(&random).replacing("\n", with: "")
            }
            shown.replaceSubrange(first..<first + count, with: new)
            let change = try EditorText(TextBuffer(old), in: .lines).change(
                .lines(first: first, count: count, new: new.map { WireString($0) }))
            let result = try TextBuffer(old).applying(change)
            let again = EditorText(result, in: .lines).shownText
            #expect(again == shown.joined(separator: "\n"), "seed \(seed): \(old.debugDescription)")
        }
    }

    @Test(
        "the last line end stays hidden, and a new text gets one",
        arguments: [
            ("", ["a"], "a\n"), ("a\n", ["b"], "b\n"), ("a", ["b"], "b"), ("a\n", [""], ""),
            ("a", ["b", ""], "b\n\n"), ("\n", ["x"], "x\n"), ("a\n", ["b", ""], "b\n\n"),
        ])
    func lineEnd(old: String, new: [String], expected: String) throws {
        let text = try TextBuffer(old)
        let change = try EditorText(text, in: .lines).change(
            .lines(first: 0, count: lines(old).count, new: new.map { WireString($0) }))
        #expect(try text.applying(change).string == expected)
    }

    @Test("places outside the text are refused")
    func outside() throws {
        let text = EditorText(try TextBuffer("aé\nb\n"), in: .lines)
        func place(_ line: Int, _ column: Int) throws -> Selection {
            let place = EditorPosition.line(line, column: column)
            return try text.selection(EditorSelection(anchor: place, head: place))
        }
        #expect(try place(0, 3) == Selection(caret: 2))
        #expect(try place(1, 1) == Selection(caret: 4))
        #expect(throws: EditorText.Fault.self) { try place(0, 4) }
        #expect(throws: EditorText.Fault.self) { try place(2, 0) }
        #expect(throws: TextError.self) { try place(0, 2) }
        #expect(throws: EditorText.Fault.self) {
            try text.change(.lines(first: 1, count: 2, new: []))
        }
        #expect(throws: EditorText.Fault.self) { try text.change(.edits([])) }
        #expect(throws: TextError.self) { try text.change(.lines(first: 0, count: 1, new: ["a\r"])) }
        let numbers = EditorText(try TextBuffer("😀b"), in: .characters)
        #expect(try numbers.change(.edits([WireEdit(WireRange(1, 2), "c")])).edits == [Edit(2..<3, "c")])
        #expect(throws: TextError.self) { try numbers.change(.edits([WireEdit(WireRange(2, 3), "")])) }
        #expect(throws: EditorText.Fault.self) {
            try numbers.change(.lines(first: 0, count: 1, new: []))
        }
    }
}
