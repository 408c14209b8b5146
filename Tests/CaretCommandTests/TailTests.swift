import CaretCommand
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("`caret tail` and `caret edit` while a document changes") struct TailTests {
    @Test("`tail` shows each edit with its line and the removed text")
    func lines() throws {
        var tail = TailState(name: "a", revision: 1, text: try TextBuffer("one\ntwo\nthree\n"))
        let change = try Change([Edit(0..<0, "zero\n"), Edit(4..<7, "2"), Edit(13..<14, "")])
        #expect(
            try tail.apply(change, making: 2) == [
                .init(line: 1, removed: "", inserted: "zero\n"),
                .init(line: 2, removed: "two", inserted: "2"),
                .init(line: 3, removed: "\n", inserted: ""),
            ])
        #expect(tail.text.string == "zero\none\n2\nthree" && tail.revision == 2)
    }

    @Test("`tail` prints author, line and text; `edit` merges the saved file")
    func transcript() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put notes/today --create << one⏎two⏎
            notes/today: saved as revision 1
            $ put notes/today << one⏎2⏎
            notes/today: saved as revision 2
            $ tail notes/today -n 1
            2 … anonymous
                line 2 -two +2
            $ tail nope
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
        let edited = try session.caret(
            ["edit", "notes/today"], environment: ["EDITOR": "sed -i s/one/1/"])
        #expect(edited.status == 0 && edited.output == "notes/today: all edits are saved, at revision 3\n")
        #expect(try session.caret(["cat", "notes/today"]).output == "1\n2\n")
        let failed = try session.caret(["edit", "notes/today"], environment: ["EDITOR": "false"])
        #expect(
            failed.status == 1
                && failed.errors
                    == "caret: the editor exited with status 1; the text that it wrote is saved\n"
        )
    }

    @Test("`tail` shortens a long text to 50 columns, and keeps its beginning")
    func longTexts() throws {
        let session = try CommandSession()
        let text = String(repeating: "abcde", count: 20)
        // The sign for the line break has one column.
        for (name, text, shown) in [
            ("long", text, "\(text.prefix(49))…"), ("short", String(text.prefix(49)), "\(text.prefix(49))⏎"),
        ] {
            #expect(try session.caret(["put", name, "--create"], input: text + "\n").status == 0)
            let tail = try session.caret(["tail", name]).output
            #expect(tail.hasSuffix(" anonymous\n    line 1 +\(shown)\n"), "\(tail)")
        }
    }

    @Test(
        "two saves without a read in between neither lose nor repeat a line"
    )
    func editedTwice() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "notes", "--create"], input: "one\n").status == 0)
        // The editor reads the file only once. It then edits that text and saves it, and never reads the
        // changes of others.
        let others = "\(ChildProgram.path(of: "caret")) put notes --data \(session.data)"
        let editor = session.folder.appending(path: "editor").path
        let script = """
            comes() { until grep -q "$1" "$2"; do :; done; }
            printf 'one\\nfirst\\n' | \(others); comes first "$1"
            printf 'one\\nfirst\\nsecond\\n' | \(others); comes second "$1"
            printf 'mine\\none\\n' >"$1"
            comes second "$1"
            printf 'mine\\none\\nfirst\\nsecond\\nthird\\n' | \(others); comes third "$1"
            printf 'mine\\none\\nand mine\\n' >"$1"
            """
        try script.write(toFile: editor, atomically: true, encoding: .utf8)
        let run = try session.caret(["edit", "notes"], environment: ["EDITOR": "sh \(editor)"])
        #expect(run.status == 0, "\(run)")
        let lines = try session.caret(["cat", "notes"]).output.split(separator: "\n")
        #expect(lines.sorted() == ["and mine", "first", "mine", "one", "second", "third"], "\(lines)")
    }

    @Test("if the last save is not text, it stays in the file and is not pushed")
    func editedToNoText() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "notes", "--create"], input: "one\n").status == 0)
        let run = try session.caret(["edit", "notes"], environment: ["EDITOR": #"printf 'a\0b' >"#])
        #expect(run.status == 1 && run.output == "", "\(run)")
        let said = try #require(
            run.errors.wholeMatch(
                of:
                    #/caret: (.+): left alone: it is not UTF-8 text\n  the file still has the text that the editor saved\n/#
            ),
            "\(run)")
        let path = URL(filePath: String(said.1))
        #expect(try Data(contentsOf: path) == Data("a\0b".utf8))
        try FileManager.default.removeItem(at: path.deletingLastPathComponent())
        #expect(try session.caret(["cat", "notes"]).output == "one\n")
    }
}
