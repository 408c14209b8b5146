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
            let entered = try EditorText(TextBuffer(old), in: .lines).entered(
                .lines(first: first, count: count, new: new.map { WireString($0) }))
            #expect(entered.lineFeeds.isEmpty)
            let result = try TextBuffer(old).applying(entered.change)
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
        let entered = try EditorText(text, in: .lines).entered(
            .lines(first: 0, count: lines(old).count, new: new.map { WireString($0) }))
        #expect(try text.applying(entered.change).string == expected)
    }

    @Test(
        "CR LF and CR become LF, whatever else the text has",
        arguments: [
            ("a\n", ["a\r"], "a\n"), ("a", ["a\r"], "a\n"), ("a\n", ["a\rb\r", "c"], "a\nb\nc\n"),
            ("", ["\r"], "\n"), ("\u{1A}\n", ["\u{1A}\r\u{1A}"], "\u{1A}\n\u{1A}\n"),
            ("😀\n", ["😀", "é\r\rx"], "😀\né\n\nx\n"),
        ])
    func carriageReturns(old: String, new: [String], expected: String) throws {
        let text = try TextBuffer(old)
        let entered = try EditorText(text, in: .lines).entered(
            .lines(first: 0, count: lines(old).count, new: new.map { WireString($0) }))
        let view = try text.applying(entered.change)
        #expect(try view.applying(entered.lineFeeds).string == expected)
        // The positions of the editor stay right until it has the line feeds.
        let shown = EditorText(view, in: .lines).shownText
        #expect(shown.utf8.count == new.joined(separator: "\n").utf8.count)
    }

    @Test("carriage returns in edits become line feeds")
    func carriageReturnsInEdits() throws {
        let text = try TextBuffer("a\n😀c")
        let entered = try EditorText(text, in: .characters).entered(
            .edits([WireEdit(WireRange(1, 1), "\r"), WireEdit(WireRange(2, 3), "\r\nx\r")]))
        let view = try text.applying(entered.change)
        #expect(view.string == "a\u{1A}\n\u{1A}\nx\u{1A}c")
        #expect(try view.applying(entered.lineFeeds).string == "a\n\nx\nc")
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
            try text.entered(.lines(first: 1, count: 2, new: []))
        }
        #expect(throws: EditorText.Fault.self) { try text.entered(.edits([])) }
        let numbers = EditorText(try TextBuffer("😀b"), in: .characters)
        let edit = WireEdit(WireRange(1, 2), "c")
        #expect(try numbers.entered(.edits([edit])).change.edits == [Edit(2..<3, "c")])
        #expect(throws: TextError.self) { try numbers.entered(.edits([WireEdit(WireRange(2, 3), "")])) }
        #expect(throws: EditorText.Fault.self) {
            try numbers.entered(.lines(first: 0, count: 1, new: []))
        }
    }
}
