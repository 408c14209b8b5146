import CaretClient
import Foundation
import Testing

@Suite("The output of `caret` on a terminal", .serialized) struct TerminalTests {
    /// The screen after `caret` has ended.
    private func shown(
        _ arguments: [String], on session: CommandSession, columns: Int, at server: [String]? = nil
    ) throws -> String {
        let screen = try TerminalScreen(arguments, on: session, columns: columns, at: server)
        _ = try screen.ended()
        return try screen.coloredText()
    }

    @Test("`ls` prints a table, and shortens names on a narrow terminal")
    func table() throws {
        let session = try CommandSession()
        try session.expect("$ put a/long/name --create << x\na/long/name: saved as revision 1")
        let wide = try shown(["ls"], on: session, columns: 100).split(separator: "\n")
        #expect(wide.first == "^1mNAME         REVISION  LENGTH  CHANGED")
        #expect(wide.last?.contains("a/long/name         1       1  20") == true)
        let narrow = try shown(["ls", "--no-color"], on: session, columns: 47).split(separator: "\n")
        #expect(narrow.first == "NAME      REVISION  LENGTH  CHANGED")
        #expect(narrow.last?.hasPrefix("a/long/…         1       1  20") == true)
    }

    @Test("an empty list says so on a terminal, and what to do; programs get nothing")
    func emptyLists() throws {
        let session = try CommandSession()
        for (arguments, sentence) in [
            (["ls"], "there are no documents yet; `caret new NAME` creates one"),
            (["ls", "x/"], "no document that you may read begins with x/; `caret ls` lists all"),
            (["ls", "--deleted"], "there is no deleted document that can be restored"),
            (["token", "list"], "there are no tokens; `caret token add` creates one"),
        ] {
            #expect(try shown(arguments, on: session, columns: 100) == sentence)
            #expect(try session.caret(arguments).output == "")
        }
        try session.expect("$ put a --create << x\na: saved as revision 1")
        #expect(try shown(["tag", "a"], on: session, columns: 100).hasPrefix("no revision has a name; "))
    }

    @Test("`diff` prints colours, and a text cannot control the terminal")
    func colors() throws {
        let session = try CommandSession()
        try session.expect(
            "$ put a --create << one two⏎\na: saved as revision 1\n$ put a << one 2⏎\na: saved as revision 2")
        let text = try shown(["diff", "a@1"], on: session, columns: 80)
        #expect(text.contains("^31m-one ^7mtwo\n") && text.hasSuffix("^32m^49m+one ^7m2"), "\(text)")
        #expect(try session.caret(["put", "a"], input: "\u{1B}[2J\n").status == 0)
        #expect(try shown(["grep", "2J"], on: session, columns: 80) == "^36ma^39m:1:␛[^1m^31m2J")
    }

    @Test("`grep` marks every match, and `blame` prints columns")
    func marks() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << banana band⏎\na: saved as revision 1")
        let found = try shown(["grep", "an"], on: session, columns: 80)
        #expect(found.contains("1:b^1m^31manan^") && found.contains("a b^1m^31man^"), "\(found)")
        let lines = try shown(["blame", "a", "--no-color"], on: session, columns: 80)
        #expect(lines.wholeMatch(of: /1 anonymous [-\d]+ [:\d]+  banana band/) != nil, "\(lines)")
    }

    @Test("`blame` aligns revision numbers at the right")
    func alignedRevisions() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << first⏎\na: saved as revision 1")
        for number in 2...10 {
            #expect(try session.caret(["put", "a"], input: "first\n\(number)\n").status == 0)
        }
        let lines = try shown(["blame", "a", "--no-color"], on: session, columns: 80).split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix(" 1 anonymous "), "\(lines)")
        #expect(lines.last?.hasPrefix("10 anonymous ") == true, "\(lines)")
    }

    /// A text with everything that a terminal interprets, and its visible form.
    private static let (wild, tame) = (
        "\u{1B}[31mred\u{07}\u{202E}cba\u{2069}\u{9B}2J\u{7F}\tend", "␛[31mred␇<U+202E>cba<U+2069><U+009B>2J␡"
    )

    @Test("`cat` and `put --print` replace control characters only on a terminal")
    func wildText() throws {
        let session = try CommandSession()
        let text = "one\n\(TerminalTests.wild)\n"
        #expect(try session.caret(["put", "a", "--create"], input: text).status == 0)
        #expect(try session.caret(["cat", "a"]).output == text)
        #expect(try session.caret(["put", "a", "--print"], input: text).output == text)
        let shown = try shown(["cat", "a"], on: session, columns: 100)
        #expect(shown == "one\n\(TerminalTests.tame) end", "\(shown)")
        let file = session.folder.appending(path: "text")
        try Data(text.utf8).write(to: file)
        let printed = try self.shown(["put", "a", file.path, "--print"], on: session, columns: 100)
        #expect(printed == shown, "\(printed)")
    }

    @Test(
        "names and users from a server cannot control the terminal",
        arguments: ["ls", "ls --deleted", "log a", "grep -l x", "who", "nodes"])
    func wildNames(command: String) throws {
        let session = try CommandSession(nil)
        let wild = "a\\u001b[2Jb\\u202ec\\u009bd\\u000ae"
        let document = #""epoch":"e.1","rev":1,"length":1,"updated":0"#
        let author = #""user":"WILD","client":"WILD","time":0,"inserted":1,"deleted":0"#
        let open = #""user":"WILD","client":"WILD","since":0,"docs":["WILD"],"behind":[]"#
        let fake = try FakeServer(
            in: session,
            [
                "list":
                    #""type":"listed","docs":[{"doc":"a",\#(document)},{"doc":"WILD",\#(document)}]"#,
                "list_deleted":
                    #""type":"deleted","docs":[{"number":1,"doc":"WILD",\#(document),"deleted":0}]"#,
                "history": #""type":"revisions","doc":DOC,"revisions":[{"rev":1,\#(author)}]"#,
                "list_tags":
                    #""type":"tags","doc":DOC,"tags":[{"name":"WILD","rev":1,"user":"WILD","time":0}]"#,
                "read": #""type":"text","doc":"WILD","epoch":"e.1","rev":1,"text":"x","newline":"lf""#,
                "list_nodes":
                    #""type":"nodes","nodes":[{"name":"WILD","address":"WILD","version":"WILD","since":0,"silent_ms":0,"connections":1,"documents":1}]"#,
                "who": #""type":"present","connections":[{"number":1,"peer":"WILD",\#(open)}]"#,
            ].mapValues { $0.replacing("WILD", with: wild) })
        let words = command.split(separator: " ").map(String.init) + ["--no-color"]
        let screen = try shown(words, on: session, columns: 200, at: ["--socket", fake.path])
        #expect(screen.contains("a␛[2Jb<U+202E>c<U+009B>d␊e"), "\(screen)")
        let run = try session.caret(words + ["--socket", fake.path])
        #expect(run.status == 0 && !run.output.contains("\u{1B}") && !run.output.contains("d\ne"), "\(run)")
    }

    @Test("`who` prints a table, and shortens documents on a narrow terminal")
    func connections() async throws {
        let session = try CommandSession()
        let client = LiveClient(session.socket)
        let names = ["notes/a rather long name", "notes/another long name"]
        var documents: [LiveDocument] = []
        for name in names { documents.append(try await client.open(name, creating: true).opened()) }
        let open = names.joined(separator: " ")
        let wide = try shown(["who"], on: session, columns: 140).split(separator: "\n")
        #expect(wide.first?.hasPrefix("^1mNUMBER  USER   CLIENT") == true && wide.count == 3, "\(wide)")
        #expect(wide.contains { $0.hasSuffix(open) && $0.contains("  admin  p-") }, "\(wide)")
        let narrow = try shown(["who", "--no-color"], on: session, columns: 80).split(separator: "\n")
        #expect(narrow.count == 3 && narrow.contains { $0.hasSuffix("…") }, "\(narrow)")
        for document in documents { document.close() }
    }

    @Test("a failure overwrites the progress line")
    func failureBehindProgress() throws {
        let session = try CommandSession()
        // `inOrder` sends up to 8 requests in advance, and this test has 20 files.
        let files = session.folder.appending(path: "in")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for number in 10..<30 { try Data("x".utf8).write(to: files.appending(path: "\(number)")) }
        try session.expect("$ import DIR/in\n20 saved, 0 unchanged, 0 left alone")
        try session.damage("harmed")
        let screen = try TerminalScreen(["export", session.folder.path + "/out"], on: session, columns: 200)
        #expect(try screen.ended() == 1)
        let text = try screen.text()
        #expect(text.hasPrefix("caret: harmed: "), "\(text)")
    }

    @Test("`trim` asks for confirmation, and only yes deletes history")
    func trimming() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << x\na: saved as revision 1")
        let outcomes = [
            ("", "a: nothing was changed"),
            ("y", "a: deleted 1 revision (up to revision 1, whose text stays)"),
        ]
        for (answer, outcome) in outcomes {
            let screen = try TerminalScreen(["trim", "a@1"], on: session)
            try screen.waits {
                $0 == "a: delete 1 revision (up to revision 1, whose text stays) permanently? [y/N]"
            }
            try screen.type(answer)
            try screen.waits { $0.hasSuffix("\n\(outcome)") }
            #expect(try screen.ended() == (answer == "y" ? 0 : 1))
        }
    }

    @Test("`rm` asks for confirmation, and only yes deletes the document")
    func question() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << x\na: saved as revision 1")
        for (answer, outcome) in [("", "nothing was changed"), ("y", "a is deleted")] {
            let screen = try TerminalScreen(["rm", "a"], on: session)
            try screen.waits { $0 == "Delete a with its 1 revision? [y/N]" }
            try screen.type(answer)
            try screen.waits {
                $0.hasSuffix("[y/N] \(answer)\n\(outcome)") || $0.hasSuffix("[y/N]\n\(outcome)")
            }
            #expect(try screen.ended() == (answer == "y" ? 0 : 1))
        }
    }
}
