import Testing

@Suite("`caret tag`, and named revisions in other subcommands", .serialized) struct TagCommandTests {
    private static let history = """
        $ put d --create << one⏎
        d: saved as revision 1
        $ put d << one⏎two⏎
        d: saved as revision 2

        """

    @Test("`tag` names revisions, lists the names and removes them")
    func tag() throws {
        try CommandSession().expect(
            TagCommandTests.history + """
                $ tag d
                $ tag d@1 draft-1
                d@draft-1: revision 1
                $ tag d final --json
                {"doc":"d","name":"final","rev":2}
                $ tag d@draft-1 same
                d@same: revision 1
                $ tag d
                1	draft-1	anonymous	…Z
                1	same	anonymous	…Z
                2	final	anonymous	…Z
                $ tag d --json
                {"name":"draft-1","rev":1,"user":"anonymous","time":"…Z"}
                {"name":"same","rev":1,"user":"anonymous","time":"…Z"}
                {"name":"final","rev":2,"user":"anonymous","time":"…Z"}
                $ tag d final
                d@final: revision 2
                $ tag d@1 final
                ! caret: d: revision 2 of the document has this name already (exists)
                !   …
                [1]
                $ tag d same --remove
                d@same: the name is removed
                $ tag d same --remove
                ! caret: d: no revision of the document has this name (not_found)
                !   …
                [1]
                $ tag d@9 x
                ! caret: d: the requested revision is beyond the head 2 (base_ahead)
                !   `caret log` lists the revisions
                [1]
                $ tag nope
                ! caret: nope: there is no such document (not_found)
                !   `caret ls` lists the documents that you may read
                [1]
                """)
    }

    @Test("a name of a revision is accepted wherever a revision is")
    func everywhere() throws {
        try CommandSession().expect(
            TagCommandTests.history + """
                $ tag d@1 draft
                d@draft: revision 1
                $ cat d@draft
                one
                $ diff d@draft
                --- d@1
                +++ d@2
                @@ -1 +1,2 @@
                 one
                +two
                $ log d
                2	…Z	anonymous	p-…	+4	-0	…
                1	…Z	anonymous	p-…	+4	-0	draft
                $ log d@draft --json
                {"rev":1,"time":"…Z","user":"anonymous","client":"p-…","inserted":4,"deleted":0,"tags":["draft"]}
                $ put d --base draft << zero⏎one⏎
                d: saved as revision 3
                $ cat d
                zero
                one
                two
                $ restore d@draft
                d: …revision 4…
                $ cat d
                one
                $ cat d@nope
                ! caret: d: no revision has the name nope
                !   `caret tag d` lists the named revisions; if the document's name contains an @, add another @ at its end
                [1]
                """)
    }

    @Test("names survive a rename and a deletion, and a trim removes those before it")
    func life() throws {
        try CommandSession().expect(
            TagCommandTests.history + """
                $ tag d@1 first
                d@first: revision 1
                $ tag d second
                d@second: revision 2
                $ mv d e
                d is now e
                $ tag e
                1	first	anonymous	…Z
                2	second	anonymous	…Z
                $ rm e --yes
                e is deleted
                $ new e
                e: created, at revision 0
                $ tag e
                $ rm e --yes
                e is deleted
                $ undelete e --number 1
                e is back, at revision 2
                $ tag e
                1	first	anonymous	…Z
                2	second	anonymous	…Z
                $ trim e@second --yes
                e: deleted 2 revisions (up to revision 2, whose text stays)
                $ tag e
                2	second	anonymous	…Z
                $ verify
                sound: 2 documents, 0 revisions
                """)
    }

    @Test("wrong usage of `tag` says what a name is")
    func wrongUsage() throws {
        try CommandSession(nil).expect(
            """
            $ tag d 1st
            ! caret: tag: NAME: found "1st", expected 1 to 64 letters, digits, -, _ and ., with a letter first
            !   run: caret help tag
            [2]
            $ tag d --remove
            ! caret: tag: NAME is missing
            !   run: caret help tag
            [2]
            $ tag d@1
            ! caret: tag: DOC: found "d@1", expected a document without a revision
            !   run: caret help tag
            [2]
            """)
    }
}
