import CaretFormat
import Foundation
import Testing

@Suite("`caret edit` when the server or the editor fails", .serialized) struct EditTests {
    /// A line editor: it appends the typed lines to the file.
    private func editor(in session: CommandSession) throws -> String {
        let path = session.folder.appending(path: "editor").path
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

    private func edit(on session: CommandSession) throws -> TerminalScreen {
        try TerminalScreen(
            ["edit", "notes"], on: session, columns: 300,
            environment: [
                "EDITOR": try editor(in: session), "XDG_STATE_HOME": session.folder.path + "/state",
            ])
    }

    @Test("without a server, `caret edit` keeps the text, and resumes later")
    func waiting() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try edit(on: session)
        try screen.type("show")
        try screen.waits { $0.contains("one") }
        session.stop()
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
        // While the server is down, the user opens the editor again and continues with the kept edits. The
        // edits are saved when the server runs again.
        let again = try edit(on: session)
        try again.waits { $0.contains("notes: your unsaved edits from last time are restored") }
        try again.type("show")
        try again.waits { $0.contains("one\nmine") }
        try again.type("more")
        try session.start()
        try again.type("quit")
        try again.waits { $0.contains("notes: all edits are saved, at revision ") }
        #expect(try again.ended() == 0)
        #expect(try session.caret(["cat", "notes"]).output == "one\nmine\nmore\n")
        let left = try FileManager.default.contentsOfDirectory(
            atPath: session.folder.path + "/state/caret/edit")
        #expect(left.isEmpty, "\(left)")
    }

    /// Later versions of caret continue with the kept edits, so they must find the folder by the same name.
    @Test(
        "unsaved edits are kept in a private folder with a fixed name",
        arguments: [
            (["XDG_STATE_HOME": "DIR/state", "HOME": "DIR"], "state"),
            (["XDG_STATE_HOME": "", "HOME": "DIR"], ".local/state"),
        ])
    func folder(variables: [String: String], state: String) throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let folder = session.folder.path
        var environment = variables.mapValues { $0.replacing("DIR", with: folder) }
        let find = "find '\(folder)/\(state)' -type d -printf '%m %P\\n'"
        environment["EDITOR"] = "\(find) >'\(folder)/said'; touch"
        let digest = SHA256.digest(of: Array("\(session.address)\0notes".utf8)).bytes.prefix(16)
        let name = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // The first server of a list stands for all of them.
        for servers in [session.address, "\(session.address),127.0.0.1:1"] {
            let run = try session.caret(["edit", "notes", "--server", servers], environment: environment)
            #expect(run.status == 0, "\(run)")
            let said = try String(contentsOfFile: folder + "/said", encoding: .utf8)
            #expect(said == "700 \n700 caret\n700 caret/edit\n700 caret/edit/\(name)\n")
        }
        // No edits are unsaved, so the folder is removed.
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(state)/caret/edit")
        #expect(left.isEmpty, "\(left)")
    }

    @Test("if unsaved edits cannot be kept, `edit` prints where the text is")
    func notKept() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try edit(on: session)
        try screen.type("path")
        let said = try screen.waits { $0.contains(/at \S+\./) }
        let path = String(try #require(said.firstMatch(of: /at (\/\S+\/notes)\./)?.1))
        defer {
            unlink(path)
            rmdir((path as NSString).deletingLastPathComponent)
        }
        session.stop()
        try FileManager.default.removeItem(atPath: session.folder.path + "/state")
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

    @Test("without a server and without unsaved edits, `edit` fails at once")
    func nothingKept() throws {
        let session = try CommandSession()
        session.stop()
        try session.expect(
            """
            $ edit notes
            ! caret: 127.0.0.1:…: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            """)
    }

    @Test("if the editor exits at once, `edit` reports it and keeps the file")
    func absentEditor() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let run = try session.caret(["edit", "notes"], environment: ["EDITOR": "true"])
        #expect(run.status == 1 && run.errors.contains("exited at once and saved nothing"), "\(run)")
        let path = try #require(run.errors.firstMatch(of: /(\/\S+\/notes)/)?.1)
        #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "one\n")
        try FileManager.default.removeItem(atPath: (String(path) as NSString).deletingLastPathComponent)
        // An editor that saved the file, or that failed, does not get the message "exited at once".
        let touched = try session.caret(["edit", "notes"], environment: ["EDITOR": "touch"])
        #expect(touched.status == 0, "\(touched)")
        let failed = try session.caret(["edit", "notes"], environment: ["EDITOR": "false"])
        #expect(failed.status == 1 && failed.errors.contains("the editor exited with status 1"), "\(failed)")
    }

    @Test(
        "an editor that fails or is killed is reported with its status",
        arguments: [("exit 7 #", 7), ("kill -TERM $$ #", 143)])
    func status(editor: String, status: Int) throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let run = try session.caret(["edit", "notes"], environment: ["EDITOR": editor])
        let message = "caret: the editor exited with status \(status); the text that it wrote is saved\n"
        #expect(run.status == 1 && run.errors == message, "\(run)")
    }

    @Test("at a terminal, `edit` waits for Return if the editor exits at once")
    func editorInItsWindow() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let (editor, path) = (session.folder.path + "/editor", session.folder.path + "/path")
        try #"printf %s "$1" >"\#(path)""#.write(toFile: editor, atomically: true, encoding: .utf8)
        let screen = try TerminalScreen(
            ["edit", "notes"], on: session, columns: 200, environment: ["EDITOR": "sh \(editor)"])
        try screen.waits { $0.contains("press Return") }
        let file = try String(contentsOfFile: path, encoding: .utf8)
        try Data("one\nlater\n".utf8).write(to: URL(filePath: file))
        try screen.waits { _ in try session.caret(["cat", "notes"]).output == "one\nlater\n" }
        try Data("one\nlater\nlast\n".utf8).write(to: URL(filePath: file))
        try screen.press("Enter")
        try screen.waits { $0.contains("notes: all edits are saved, at revision 3") }
        #expect(try screen.ended() == 0)
        #expect(try session.caret(["cat", "notes"]).output == "one\nlater\nlast\n")
    }
}
