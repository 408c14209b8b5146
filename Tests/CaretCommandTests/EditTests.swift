import Foundation
import Testing

@Suite("caret edit without a server or an editor", .serialized) struct EditTests {
    /// A line editor: it appends the typed lines to the file.
    private func editor(in stand: Stand) throws -> String {
        let path = stand.folder.appending(path: "editor").path
        let script = """
            while read -r line; do
                case $line in
                show) cat "$1" ;;
                path) echo "at $1." ;;
                quit) exit ;;
                *) echo "$line" >>"$1" ;;
                esac
            done
            """
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        return "sh \(path)"
    }

    private func edit(on stand: Stand) throws -> TerminalScreen {
        try TerminalScreen(
            ["edit", "notes"], on: stand, columns: 300,
            environment: ["EDITOR": try editor(in: stand), "XDG_STATE_HOME": stand.folder.path + "/state"])
    }

    @Test("without a server it waits, names the file, and continues next time")
    func waiting() throws {
        let stand = try Stand()
        try stand.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try edit(on: stand)
        try screen.type("show")
        try screen.waits { $0.contains("one") }
        stand.stop()
        try screen.type("mine")
        try screen.type("quit")
        let waiting = "not saved yet: the server cannot be reached"
        let said = try screen.waits { $0.contains(waiting) }
        let path = try #require(said.firstMatch(of: /your text is in (\/\S+\/notes)/)?.1)
        #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "one\nmine\n")
        // The file stays after the command and after this test.
        defer {
            unlink(String(path))
            rmdir((String(path) as NSString).deletingLastPathComponent)
        }
        try screen.press("C-c")
        #expect(try screen.ended() == 130)
        let lines = try screen.text().split(separator: "\n").filter { $0.contains(path) }
        #expect(lines.count == 2 && lines.last?.contains("interrupted") == true, "\(lines)")
        // The kept edits are edited without a server, and saved when there is one again.
        let again = try edit(on: stand)
        try again.waits { $0.contains("notes: continues with the text that was not saved") }
        try again.type("show")
        try again.waits { $0.contains("one\nmine") }
        try again.type("more")
        try stand.start()
        try again.type("quit")
        try again.waits { $0.contains("notes: all edits are saved, at revision ") }
        #expect(try again.ended() == 0)
        #expect(try stand.caret(["cat", "notes"]).output == "one\nmine\nmore\n")
        let left = try FileManager.default.contentsOfDirectory(
            atPath: stand.folder.path + "/state/caret/edit")
        #expect(left.isEmpty, "\(left)")
    }

    @Test("a text that cannot be kept stays in its file, which is named")
    func notKept() throws {
        let stand = try Stand()
        try stand.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try edit(on: stand)
        try screen.type("path")
        let said = try screen.waits { $0.contains(/at \S+\./) }
        let path = String(try #require(said.firstMatch(of: /at (\/\S+\/notes)\./)?.1))
        defer {
            unlink(path)
            rmdir((path as NSString).deletingLastPathComponent)
        }
        stand.stop()
        try FileManager.default.removeItem(atPath: stand.folder.path + "/state")
        try screen.type("mine")
        try screen.type("quit")
        #expect(try screen.ended() == 1)
        let failed = try screen.waits {
            $0.contains(".edits.new: could not make: No such file or directory")
                && $0.contains("your text is in")
        }
        #expect(failed.contains("caret: notes: unsaved edits cannot be kept: "), "\(failed)")
        #expect(failed.contains("\n  your text is in \(path)"), "\(failed)")
        #expect(try !screen.text().contains("not saved yet"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\nmine\n")
    }

    @Test("without a server and kept edits it fails at once")
    func nothingKept() throws {
        let stand = try Stand()
        stand.stop()
        try stand.expect(
            """
            $ edit notes
            ! caret: 127.0.0.1:…: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            """)
    }

    @Test("an editor that exits at once is reported, and its file stays")
    func absentEditor() throws {
        let stand = try Stand()
        try stand.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let run = try stand.caret(["edit", "notes"], environment: ["EDITOR": "true"])
        #expect(run.status == 1 && run.errors.contains("exited at once and saved nothing"), "\(run)")
        let path = try #require(run.errors.firstMatch(of: /(\/\S+\/notes)/)?.1)
        #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "one\n")
        try FileManager.default.removeItem(atPath: (String(path) as NSString).deletingLastPathComponent)
        // This message is not printed for an editor that saved or failed.
        let touched = try stand.caret(["edit", "notes"], environment: ["EDITOR": "touch"])
        #expect(touched.status == 0, "\(touched)")
        let failed = try stand.caret(["edit", "notes"], environment: ["EDITOR": "false"])
        #expect(failed.status == 1 && failed.errors.contains("the editor exited with status 1"), "\(failed)")
    }

    @Test("at a terminal it waits for Return while an editor window is open")
    func editorInItsWindow() throws {
        let stand = try Stand()
        try stand.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let (editor, path) = (stand.folder.path + "/editor", stand.folder.path + "/path")
        try #"printf %s "$1" >"\#(path)""#.write(toFile: editor, atomically: true, encoding: .utf8)
        let screen = try TerminalScreen(
            ["edit", "notes"], on: stand, columns: 200, environment: ["EDITOR": "sh \(editor)"])
        try screen.waits { $0.contains("press Return") }
        let file = try String(contentsOfFile: path, encoding: .utf8)
        try Data("one\nlater\n".utf8).write(to: URL(filePath: file))
        try screen.waits { _ in try stand.caret(["cat", "notes"]).output == "one\nlater\n" }
        try Data("one\nlater\nlast\n".utf8).write(to: URL(filePath: file))
        try screen.press("Enter")
        try screen.waits { $0.contains("notes: all edits are saved, at revision 3") }
        #expect(try screen.ended() == 0)
        #expect(try stand.caret(["cat", "notes"]).output == "one\nlater\nlast\n")
    }
}
