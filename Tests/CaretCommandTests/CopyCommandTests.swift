import Testing

@Suite("`caret copy`") struct CopyCommandTests {
    @Test("a copy has the text and the named revisions, and a history of its own")
    func copy() throws {
        try CommandSession().expect(
            """
            $ put d --create << one⏎
            d: saved as revision 1
            $ tag d first
            d@first: revision 1
            $ put d << two⏎
            d: saved as revision 2
            $ put d << three⏎
            d: saved as revision 3
            $ copy d e
            e is a copy of d
            $ cat e
            three
            $ cat e@first
            one
            $ tag e
            1	first	anonymous	…Z
            $ restore e@first
            e: revision 3 has the text of revision 1
            $ cat d
            three
            $ copy d f --json
            {"doc":"f","source":"d"}
            $ copy d e
            ! caret: d to e: … (exists)
            !   choose another name, or rename the existing document first
            [1]
            $ copy nope g
            ! caret: nope to g: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            $ verify
            sound: 3 documents, 8 revisions
            """)
    }

    @Test("wrong usage of `copy` names the argument")
    func wrongUsage() throws {
        try CommandSession(nil).expect(
            """
            $ copy d
            ! caret: copy: NAME is missing
            !   run: caret help copy
            [2]
            $ copy d@1 e
            ! caret: copy: DOC: found "d@1", expected a document without a revision
            !   run: caret help copy
            [2]
            """)
    }
}
