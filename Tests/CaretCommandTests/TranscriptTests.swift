import Foundation
import Testing

@Suite("Subcommands of `caret` with a running server", .serialized) struct TranscriptTests {
    @Test("`ping` prints the server, the user and the round-trip time")
    func ping() throws {
        try CommandSession().expect(
            """
            $ ping
            127.0.0.1:…: caret/…, you are anonymous, answered in … ms
            $ ping --data DIR/data
            DIR/data/caretd.sock: caret/…, you are admin, answered in … ms
            $ ping --socket DIR/data/caretd.sock --json
            {"server":"caret/…","address":"DIR/data/caretd.sock","user":"admin","microseconds":…}
            $ ping --server 127.0.0.1:1
            ! caret: 127.0.0.1:1: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            $ ping --socket DIR/nowhere
            ! caret: DIR/nowhere: No such file or directory
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            """)
    }

    @Test("`cat` prints the text of a document, and `put` saves a new text")
    func texts() throws {
        try CommandSession().expect(
            """
            $ ls
            $ put notes/today << one⏎two⏎
            ! caret: notes/today: there is no such document (not_found)
            !   pass --create to create the document
            [1]
            $ put notes/today --create << one⏎two⏎
            notes/today: saved as revision 1
            $ put notes/today --base 1 --json << zero⏎one⏎two⏎
            {"doc":"notes/today","rev":2,"unchanged":false}
            $ put notes/today --base 1 --print << one⏎two⏎three⏎
            zero
            one
            two
            three
            $ put notes/today << zero⏎one⏎two⏎three⏎
            notes/today: unchanged, at revision 3
            $ cat notes/today@1
            one
            two
            $ cat notes/today@2 --json
            {"doc":"notes/today","epoch":"…","rev":2,"newline":"lf","text":"zero\\none\\ntwo\\n"}
            $ cat notes/today@1h
            ! caret: notes/today: the document had no text yet at …; its first revision is from …
            !   `caret log notes/today` lists its revisions; notes/today@0 is the empty text before the first one
            [1]
            $ cat notes/today@0
            $ cat notes/today@9
            ! caret: notes/today: the requested revision is beyond the head 3 (base_ahead)
            !   `caret log` lists the revisions
            [1]
            $ cat nope
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            $ put notes/today DIR/nowhere
            ! caret: DIR/nowhere: cannot be read: No such file or directory
            [1]
            $ put ./x --create << x
            ! caret: ./x: … (bad_name)
            !   a name consists of parts separated by /; no part can be empty, . or ..
            [1]
            """)
    }

    @Test("`put --print` prints the merged text with its line breaks")
    func mergedFile() throws {
        let session = try CommandSession()
        // `put` prints the new text of the document, as `cat` would. Its line breaks are like those of the
        // last push that changed the document and that contained a line break.
        for (text, printed) in [
            ("one\r\ntwo\r\n", "one\r\ntwo\r\n"), ("one\r\n2\r\n", "one\r\n2\r\n"),
            ("one\n2\n", "one\r\n2\r\n"), ("one\n3\n", "one\n3\n"), ("1\r\n3\n", "1\r\n3\r\n"),
            ("one", "one"),
        ] {
            let put = try session.caret(["put", "a", "--create", "--print"], input: text)
            #expect(put.status == 0 && put.output == printed, "\(text.debugDescription): \(put)")
            #expect(try session.caret(["cat", "a"]).output == printed, "\(text.debugDescription)")
        }
        for text in ["one", "one\r\ntwo"] {
            #expect(try session.caret(["put", "b", "--create"], input: text).status == 0)
        }
        let merged = try session.caret(["put", "b", "--base", "1", "--print"], input: "zero one")
        #expect(merged.output == "zero one\r\ntwo", "\(merged)")
    }

    @Test("`ls` lists documents, and `stat` prints the properties of one document")
    func documents() throws {
        try CommandSession().expect(
            """
            $ put notes/today --create << one⏎two⏎three⏎four
            notes/today: saved as revision 1
            $ put b --create << x
            b: saved as revision 1
            $ ls
            b	1	1	…Z
            notes/today	1	18	…Z
            $ ls notes/ --json
            {"doc":"notes/today","epoch":"…","rev":1,"length":18,"updated":"…Z"}
            $ stat notes/today
            name:                 notes/today
            epoch:                …
            revision:             1
            UTF-16 code units:    18
            bytes of UTF-8:       18
            lines:                4
            line breaks in files: lf
            oldest kept revision: 1
            created:              …Z
            last changed:         …Z
            last changed by:      anonymous
            $ stat b --json
            {"doc":"b","epoch":"…","rev":1,"length":1,"bytes":1,"lines":1,"newline":"lf","first":1,"created":"…Z","updated":"…Z","user":"anonymous"}
            $ stat nope
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
    }

    /// A transcript that creates three revisions of a document.
    private static let history = """
        $ put d --create << one⏎two three four five six⏎three⏎
        d: saved as revision 1
        $ put d << one⏎two three 4 five six⏎three⏎four
        d: saved as revision 2
        $ put d << zero⏎one⏎two three 4 five six⏎four
        d: saved as revision 3

        """

    @Test("`log`, `show`, `diff` and `blame` show the history")
    func history() throws {
        try CommandSession().expect(
            TranscriptTests.history + """
                $ log d
                3	…Z	anonymous	p-…	+…	-…
                2	…Z	anonymous	p-…	+5	-4
                1	…Z	anonymous	p-…	+34	-0
                $ log d -n 1
                3	…Z	anonymous	p-…	+…	-…
                $ log d@2 --all --json
                {"rev":2,"time":"…Z","user":"anonymous","client":"p-…","inserted":5,"deleted":4}
                {"rev":1,"time":"…Z","user":"anonymous","client":"p-…","inserted":34,"deleted":0}
                $ show d@2
                d@2  …Z  anonymous (p-…)  +5 -4

                --- d@1
                +++ d@2
                @@ -1,3 +1,4 @@
                 one
                -two three four five six
                +two three 4 five six
                 three
                +four
                \\ No newline at end of file
                $ show d@1 --json
                {"doc":"d","rev":1,"time":"…Z","user":"anonymous","client":"p-…","inserted":34,"deleted":0,"edits":[{"range":[0,0],"text":"one\\ntwo three four five six\\nthree\\n"}]}
                $ show d@0
                ! caret: d: revision 0 is the empty text before the first change
                [1]
                $ diff d@1 @2 --json
                {"from":{"doc":"d","rev":1},"to":{"doc":"d","rev":2},"edits":[{"range":[14,18],"text":"4"},{"range":[34,34],"text":"four"}]}
                $ diff d@2
                --- d@2
                +++ d@3
                @@ -1,4 +1,4 @@
                +zero
                 one
                 two three 4 five six
                -three
                 four
                \\ No newline at end of file
                $ diff d d
                $ diff d nope
                ! caret: d, nope: there is no such document (not_found)
                !   `caret ls` lists the documents that you may read
                [1]
                $ blame d
                3	anonymous	…Z	zero
                1	anonymous	…Z	one
                2	anonymous	…Z	two three 4 five six
                2	anonymous	…Z	four
                $ blame d@1 --json
                {"line":1,"rev":1,"user":"anonymous","time":"…Z","text":"one"}
                {"line":2,"rev":1,"user":"anonymous","time":"…Z","text":"two three four five six"}
                {"line":3,"rev":1,"user":"anonymous","time":"…Z","text":"three"}
                """)
    }

    @Test("`grep` finds lines; `restore`, `mv` and `rm` change documents")
    func orders() throws {
        try CommandSession().expect(
            TranscriptTests.history + """
                $ put e --create << Three (3)⏎
                e: saved as revision 1
                $ grep three
                d:3:two three 4 five six
                $ grep -i '^three'
                e:1:Three (3)
                $ grep -F '(3)' --json
                {"doc":"e","line":1,"text":"Three (3)"}
                $ grep -l -i three
                d
                e
                $ grep nothing
                [4]
                $ grep '('
                ! caret: grep: PATTERN: found "(", expected a regular expression; pass --fixed for a plain text
                !   run: caret help grep
                [2]
                $ restore d@1
                d: revision 4 has the text of revision 1
                $ restore d@1 --json
                {"doc":"d","rev":4,"restored":1,"unchanged":true}
                $ restore d@8
                ! caret: d: the requested revision is beyond the head 4 (base_ahead)
                !   `caret log` lists the revisions
                [1]
                $ mv d f
                d is now f
                $ mv f e
                ! caret: f to e: … (exists)
                !   choose another name, or rename the existing document first
                [1]
                $ rm f
                ! caret: rm: not a terminal: pass --yes to confirm
                !   run: caret help rm
                [2]
                $ rm f --yes
                f is deleted
                $ rm e -y --json
                {"doc":"e","deleted":true}
                $ rm e -y
                ! caret: e: there is no such document (not_found)
                !   `caret ls` lists the documents that you may read
                [1]
                """)
    }

    @Test("a token gives its user its rights until it is revoked")
    func tokens() throws {
        let session = try CommandSession(["--require-tokens=true"])
        let data = ["--data", session.data]
        try session.expect(
            """
            $ ping
            ! caret: 127.0.0.1:…: the server requires a token
            !   set CARET_TOKEN; on the server's machine --data … needs no token
            [1]
            $ token add ann --data DIR/data
            ! caret: token add: one of --read, --note, --write, --admin is missing
            !   run: caret help token add
            [2]
            $ put notes/a --create --data DIR/data << text
            notes/a: saved as revision 1
            """)
        let made = try session.caret(["token", "add", "ann", "--read", "notes/", "--write", "=b"] + data)
        let token = try #require(made.output.split(separator: "\n").first.map(String.init))
        let ann = ["CARET_TOKEN": token]
        #expect(token.hasPrefix("caret_1_"))
        #expect(try session.caret(["cat", "notes/a"], environment: ann).output == "text")
        #expect(try session.caret(["cat", "notes/a", "--token", token]).output == "text")
        let refused = try session.caret(["put", "notes/a"], input: "x", environment: ann)
        #expect(refused.status == 1 && refused.errors.contains("(forbidden)"))
        #expect(try session.caret(["token", "list"], environment: ann).errors.contains("(forbidden)"))
        try session.expect(
            """
            $ token list --data DIR/data
            1	ann	…Z	never	…Z	read:notes/ write:=b
            $ token list --json --data DIR/data
            {"number":1,"user":"ann","created":"…Z","expires":null,"last_use":…,"grants":[{"rights":"read","prefix":"notes/"},{"rights":"write","doc":"b"}]}
            $ token revoke 1 --data DIR/data
            token 1 is revoked
            $ token revoke 1 --data DIR/data
            ! caret: there is no token with this number (not_found)
            !   `caret token list` shows the numbers
            [1]
            $ token sign-out ann --data DIR/data
            ann is signed out
            $ token sign-out --id phone-7 --json --data DIR/data
            {"user":null,"jti":"phone-7","signed_out":true}
            $ token sign-out ann --id phone-7 --data DIR/data
            ! caret: token sign-out: USER and --id cannot be combined
            !   run: caret help token sign-out
            [2]
            """)
        #expect(try session.caret(["cat", "notes/a"], environment: ann).status == 1)
    }

    @Test("`import` makes documents from files, and `export` files from documents")
    func folders() throws {
        let session = try CommandSession()
        let folder = session.folder.appending(path: "in/sub")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in [
            ("../crlf", Array("a\r\nb\r\n".utf8)), ("two", Array("2\n".utf8)), ("bin", [0xFF]), ("nul", [0]),
            (" sp", []), (".hidden", []),
        ] { try Data(bytes).write(to: folder.appending(path: name)) }
        try session.expect(
            """
            $ import DIR/in notes
            ! caret: sub/ sp: left alone: not a valid document name
            ! caret: sub/bin: left alone: DIR/in/sub/bin: not UTF-8 text: invalid at byte 0
            ! caret: sub/nul: left alone: not text: it contains a NUL byte
            2 saved, 0 unchanged, 3 left alone
            [1]
            $ ls
            notes/crlf	1	4	…Z
            notes/sub/two	1	2	…Z
            $ export DIR/out notes/
            2 written, 0 unchanged, 0 left alone
            $ put notes/sub/two << 3⏎
            notes/sub/two: saved as revision 2
            $ export DIR/out notes/
            ! caret: notes/sub/two: left alone: DIR/out/sub/two exists with another text; pass --force to replace it
            0 written, 1 unchanged, 1 left alone
            [1]
            $ export DIR/out notes/ --force --json
            {"written":1,"unchanged":1,"left_alone":[]}
            $ import DIR/out notes/ --json
            {"saved":0,"unchanged":2,"left_alone":[]}
            $ import DIR/nowhere
            ! caret: DIR/nowhere: cannot be read: No such file or directory
            [1]
            """)
        let crlf = try Data(contentsOf: session.folder.appending(path: "out/crlf"))
        #expect(Array(crlf) == Array("a\r\nb\r\n".utf8))
    }

    @Test("`import` skips symbolic links and reports them")
    func links() throws {
        let session = try CommandSession()
        let folder = session.folder.appending(path: "in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: folder.appending(path: "file"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/file")
        try session.expect(
            """
            $ import DIR/in
            ! caret: link: left alone: not a regular file
            1 saved, 0 unchanged, 1 left alone
            [1]
            $ ls
            file	1	1	…Z
            """)
    }

    @Test("`import` measures the size of a file after its CR LF became LF")
    func sizeWithCarriageReturns() throws {
        let session = try CommandSession(["--limit-document", "64 KiB"])
        let folder = session.folder.appending(path: "in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, lines) in [("fits", 1 << 16), ("large", 1 << 16 | 1)] {
            let text = String(repeating: "\r\n", count: lines)
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        try session.expect(
            """
            $ import DIR/in
            ! caret: large: left alone: it has 65537 bytes; the limit is 65536
            1 saved, 0 unchanged, 1 left alone
            [1]
            $ ls
            fits	1	65536	…Z
            """)
    }

    @Test("wrong usage exits with 2")
    func usage() throws {
        try CommandSession(nil).expect(
            """
            $ cta
            ! caret: unknown subcommand "cta"; did you mean cat?
            !   run: caret help
            [2]
            $ cat a@1x
            ! caret: cat: DOC: found "a@1x", expected a revision (900), …
            !   run: caret help cat
            [2]
            $ help nothing
            ! caret: unknown subcommand "nothing"
            !   run: caret help
            [2]
            $ --version
            caret … (… build)
            $ help rm
            usage: caret rm DOC [options]

            Deletes a document, or all documents below a prefix, with their histories.
            …
            …
            …

              DOC  the document, or with --prefix the beginning of names

              --prefix   applies to all documents whose names begin with DOC and a slash
              --dry-run  only prints which documents would be deleted
              -y, --yes  does not ask for a confirmation

            Options of all subcommands: caret help
            """)
    }
}
