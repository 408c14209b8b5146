import Testing

@Suite("`caret notes`, `caret note` and `caret suggest`", .serialized) struct NoteCommandTests {
    @Test("notes stay on their words, and are answered, resolved and removed")
    func conversation() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put d --create << one⏎two three⏎
            d: saved as revision 1
            $ note d Why? --on three
            note 1 on d is added
            $ note d So. --answer 1
            note 2 answers note 1
            $ note d Good.
            note 3 on d is added
            """)
        #expect(
            try session.caret(["suggest", "d", "--saying", "short"], input: "one\n2 three\n").output
                == "note 4 on d suggests the change\n")
        #expect(
            try session.caret(["suggest", "d"], input: "one\ntwo three\n").output
                == "d has this text already; nothing was suggested\n")
        #expect(try session.caret(["put", "d"], input: "zero\none\ntwo three\n").status == 0)
        let lines = try session.caret(["notes", "d"]).output.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let shown = lines.map { fields in (fields.prefix(6) + fields.suffix(1)).joined(separator: "|") }
        #expect(
            shown == [
                "1|1|3|three|open|anonymous|Why?", "2|1|to 1|||anonymous|So.", "3|1|||open|anonymous|Good.",
                "4|1|3|two|open|anonymous|short  “two” → “2”",
            ])
        try session.expect(
            """
            $ note d --resolve 1
            note 1 is resolved
            $ note d --reject 4
            note 4 is rejected
            $ note d --remove 3
            note 3 is removed
            """)
        #expect(try session.caret(["notes", "d"]).output == "")
        let all = try session.caret(["notes", "d", "--all", "--json"]).output
        #expect(all.split(separator: "\n").count == 3)
        #expect(
            all.contains(
                #""note":1,"version":2,"parent":null,"rev":2,"range":[13,18],"line":3,"quote":"three""#))
        try session.expect("$ note d --reopen 1\nnote 1 is open")
    }

    @Test("a suggestion is accepted as one revision, and follows what others changed")
    func acceptance() throws {
        let session = try CommandSession()
        try session.expect("$ put d --create << one⏎two⏎\nd: saved as revision 1")
        #expect(try session.caret(["suggest", "d"], input: "one\n2\n").status == 0)
        #expect(try session.caret(["put", "d"], input: "zero\none\ntwo\n").status == 0)
        try session.expect(
            """
            $ note d --accept 1 --seen 1
            note 1 is accepted: revision 3
            $ cat d
            zero
            one
            2
            $ note d --accept 1 --seen 2
            ! caret: d: note 1 was accepted or rejected, so it can only be removed (forbidden)
            !   …
            [1]
            """)
    }

    @Test("words that occur not at all or twice, and unknown notes, are errors that say what to do")
    func faults() throws {
        let session = try CommandSession()
        try session.expect("$ put d --create << one one\nd: saved as revision 1")
        for (arguments, words) in [
            (["note", "d", "x", "--on", "two"], "d does not contain these words"),
            (["note", "d", "x", "--on", "one"], "in lines 1, 1"),
            (["note", "d", "--resolve", "7"], "d: there is no note 7"),
            (["note", "d"], "TEXT is missing"), (["note", "d", "--accept", "1"], "--seen is missing"),
            (["note", "d", "x", "--resolve", "1"], "unexpected argument"),
            (["note", "d", "--resolve", "1", "--remove", "1"], "--resolve"),
            (["notes", "nope"], "there is no such document"),
        ] {
            let run = try session.caret(arguments)
            #expect(run.status != 0)
            #expect(run.errors.contains(words), "\(run)")
        }
    }
}
