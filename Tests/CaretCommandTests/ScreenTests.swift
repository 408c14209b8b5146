import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("Subcommands that keep running on a terminal", .serialized) struct ScreenTests {
    @Test("`watch` shows changes and carets, and restores the screen")
    func watch() async throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎two⏎\nnotes: saved as revision 1")
        let screen = try TerminalScreen(["watch", "notes", "--no-color"], on: session, columns: 40, rows: 6)
        try screen.waits { $0 == "1 one\n2 two\n3\n~\n~\nnotes 1" }
        #expect(try screen.showsFullScreen() && !screen.showsCursor())
        let ann = LiveClient(session.socket, ClientOptions(person: PersonInfo(name: "Ann")))
        let document = try await ann.open("notes").opened()
        try document.select([Selection(anchor: 4, head: 7)])
        try screen.waits { $0 == "1 one\n2 [two]\n3\n~\n~\nnotes 1  Ann" }
        try document.replace(0..<0, with: "zero\n")
        try screen.waits { $0 == "1 zero\n2 one\n3 [two]\n4\n~\nnotes 2  Ann" }
        try screen.resize(columns: 20, rows: 4)
        try screen.waits { $0 == "1 zero\n2 one\n3 [two]\nnotes 2  Ann" }
        ann.close()
        try screen.waits { $0 == "1 zero\n2 one\n3 two\nnotes 2" }
        try screen.press("q")
        #expect(try screen.ended() == 0)
        #expect(try screen.text().isEmpty && !screen.showsFullScreen() && screen.showsCursor())
    }

    @Test("`watch` scrolls by keys, and shows a lost connection until it is back")
    func keys() throws {
        let session = try CommandSession()
        let lines = (1...50).map { "line \($0)\n" }.joined()
        #expect(try session.caret(["put", "notes", "--create"], input: lines).status == 0)
        let screen = try TerminalScreen(["watch", "notes", "--no-color"], on: session, columns: 40, rows: 11)
        try screen.waits { $0.hasPrefix(" 1 line 1\n") && $0.hasSuffix("notes 1") }
        try screen.press("Down")
        try screen.waits { $0.hasPrefix(" 2 line 2\n") }
        try screen.press("Space")
        try screen.waits { $0.hasPrefix("11 line 11\n") || $0.hasPrefix("12 line 12\n") }
        // The end of the text is directly above the status line.
        for _ in 0..<5 { try screen.press("Space") }
        try screen.waits { $0.hasPrefix("42 line 42\n") && $0.hasSuffix("\n50 line 50\n51\nnotes 1") }
        session.stop()
        try screen.waits { $0.hasSuffix("notes 1 (not connected)") }
        try session.start()
        try screen.waits { $0.hasSuffix("notes 1") }
        try screen.press("C-c")
        #expect(try screen.ended() == 0)
        #expect(try !screen.showsFullScreen() && screen.showsCursor())
    }

    @Test("a terminal of unknown size is treated as 80 columns and 24 rows")
    func unknownSize() throws {
        let session = try CommandSession()
        try session.expect("$ put a/long/name --create << one⏎\na/long/name: saved as revision 1")
        let program = #"stty rows 0 columns 0; "$@"; exec cat"#
        func screen(_ arguments: [String]) throws -> TerminalScreen {
            let words = ["sh", "-c", program, "sh", ChildProgram.path(of: "caret")] + arguments
            return try TerminalScreen(
                running: words + ["--no-color", "--data", session.data], on: session, columns: 100, rows: 40)
        }
        let list = try screen(["ls"])
        try list.waits { $0.contains("NAME         REVISION") && $0.contains("a/long/name         1 ") }
        let page = try screen(["watch", "a/long/name"])
        let rows = ["1 one", "2"] + Array(repeating: "~", count: 21) + ["a/long/name 1"]
        try page.waits { $0 == rows.joined(separator: "\n") }
        try page.press("q")
    }

    @Test("`watch` releases the terminal on Ctrl-Z, and takes it again with `fg`")
    func stopped() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try TerminalScreen(
            running: ["sh", "-i"], on: session, columns: 200, rows: 6, environment: ["PS1": "> "])
        try screen.waits { $0 == ">" }
        try screen.type("\(ChildProgram.path(of: "caret")) watch notes --no-color --data \(session.data)")
        try screen.waits { $0.hasSuffix("notes 1") }
        for revision in 2...3 {
            try screen.press("C-z")
            try screen.waits { $0.contains("Stopped") }
            #expect(try !screen.showsFullScreen() && screen.showsCursor())
            try screen.type("clear; stty -a | tr -s ' ;' '\\n' | grep -x -e '-*icanon' -e '-*echo'")
            try screen.waits { $0.hasPrefix("icanon\necho\n") }
            #expect(try session.caret(["put", "notes"], input: "\(revision)\n").status == 0)
            try screen.type("fg")
            try screen.waits { $0.hasPrefix("1 \(revision)\n") && $0.hasSuffix("notes \(revision)") }
            #expect(try screen.showsFullScreen() && !screen.showsCursor())
        }
        try screen.press("q")
        try screen.type("echo ended with $?")
        try screen.waits { $0.contains("\nended with 0\n") }
    }

    @Test(
        "`watch` and `tail -f` fail when the document is deleted",
        arguments: ["watch", "tail -f"])
    func deleted(command: String) throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let words = command.split(separator: " ").map(String.init)
        let screen = try TerminalScreen(words + ["notes", "--no-color"], on: session)
        try screen.waits { $0.contains("one") }
        try session.expect("$ rm notes --yes\nnotes is deleted")
        #expect(try screen.ended() == 1)
        try screen.waits { $0.hasSuffix("caret: notes: it was deleted, or you may no longer read it") }
        #expect(try !screen.showsFullScreen() && screen.showsCursor())
    }

    @Test("`top` updates in place, fits the screen, and restores it at the end", arguments: ["q", "C-c"])
    func top(end: String) throws {
        let session = try CommandSession()
        let screen = try TerminalScreen(
            ["top", "-i", "0.1", "--no-color"], on: session, columns: 60, rows: 40)
        try screen.waits { $0.hasPrefix("up ") && $0.contains(/\npushes +0 +0\.0\n/) }
        #expect(try screen.showsFullScreen() && !screen.showsCursor())
        try session.expect("$ put a --create << x\na: saved as revision 1")
        try screen.waits { $0.contains(/\npushes +1 +0\.0\n/) }
        try screen.resize(columns: 30, rows: 6)
        try screen.waits { text in
            let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
            return rows.count == 6 && rows[0].hasPrefix("up ") && rows[5].hasPrefix("delivery")
        }
        try screen.press(end)
        #expect(try screen.ended() == 0)
        #expect(try screen.text().isEmpty && !screen.showsFullScreen() && screen.showsCursor())
    }

    @Test("`top` reports a lost server, and continues when it is back", arguments: [[], ["--json"]])
    func topReconnects(options: [String]) throws {
        let session = try CommandSession()
        let screen = try TerminalScreen(
            ["top", "-i", "0.1", "--no-color"] + options, on: session, columns: 400, rows: 40)
        let reading = options.isEmpty ? "up " : #"{"time":"#
        try screen.waits { $0.hasPrefix(reading) }
        session.stop()
        try screen.waits { $0.contains("not connected") }
        try session.start()
        // With --json a reading is longer than a row, so the test looks for a part of it.
        try screen.waits { $0.contains(reading) && !$0.contains("not connected") }
        try screen.press(options.isEmpty ? "q" : "C-c")
        #expect(try screen.ended() == (options.isEmpty ? 0 : 130))
    }

    @Test("`tail -f` prints each change as it comes, until it is interrupted")
    func tail() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        let screen = try TerminalScreen(["tail", "-f", "notes", "--no-color"], on: session)
        try screen.waits { $0.hasSuffix("anonymous\n    line 1 +one⏎") }
        try session.expect("$ put notes << two⏎\nnotes: saved as revision 2")
        try screen.waits { $0.hasSuffix("anonymous\n    line 1 -one +two") }
        try session.expect("$ mv notes other\nnotes is now other")
        try session.expect("$ put other << six⏎\nother: saved as revision 3")
        try screen.waits { $0.hasSuffix("anonymous\n    line 1 -two +six") }
        try screen.press("C-c")
        #expect(try screen.ended() == 130)
    }

    @Test("`edit` syncs its file while the editor runs, and reports the last save")
    func edit() throws {
        let session = try CommandSession()
        try session.expect("$ put notes --create << one⏎\nnotes: saved as revision 1")
        // A line editor: it appends the typed lines to the file.
        let editor = session.folder.appending(path: "editor").path
        let script = """
            while read -r line; do
                case $line in
                show) cat "$1" ;;
                quit) exit ;;
                *) echo "$line" >>"$1" ;;
                esac
            done
            """
        try script.write(toFile: editor, atomically: true, encoding: .utf8)
        let screen = try TerminalScreen(
            ["edit", "notes"], on: session, environment: ["EDITOR": "sh \(editor)"])
        try screen.type("mine")
        try screen.waits { _ in try session.caret(["cat", "notes"]).output == "one\nmine\n" }
        #expect(try session.caret(["put", "notes"], input: "zero\none\nmine\n").status == 0)
        // An editor that reads the file again shows the change.
        try screen.waits { text in
            if !text.contains("zero") { try screen.type("show") }
            return text.contains("zero\none\nmine")
        }
        try screen.type("quit")
        try screen.waits { $0.hasSuffix("notes: all edits are saved, at revision 3") }
        #expect(try screen.ended() == 0)
    }
}
